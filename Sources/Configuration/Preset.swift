/// A protocol that is known by name: what the keys of a bridge are to a server that speaks it, where the file says nothing.
///
/// It supplies defaults only. A key that the file gives stands, whether the file names a protocol or not; so does one within
/// a mapping. A framing is one value, however many keys it has: another one replaces it wholly.
struct Preset: Sendable {
    /// A key that it supplies.
    struct Setting: Sendable {
        /// The full key, as in `upstream.framing`.
        let key: String
        /// Its value, as YAML in one line.
        let value: String
    }

    let name: String
    /// Who speaks it.
    let purpose: String
    /// Where servers usually listen.
    let port: UInt16?
    /// In the order of the tables.
    let settings: [Setting]
    /// Where all of this is written.
    let source: String

    init(
        _ name: String, _ purpose: String, port: UInt16? = nil, _ settings: KeyValuePairs<String, String>,
        source: String
    ) {
        self.name = name
        self.purpose = purpose
        self.port = port
        self.settings = settings.map { Setting(key: $0.key, value: $0.value) }
        self.source = source
    }

    /// The key that names one, part by part.
    private static let path = ["upstream", "protocol"]

    static func named(_ name: String) -> Preset? { all.first { $0.name == name } }

    /// Adds to the entries of a file what the protocol supplies that they name, if they name one.
    static func complete(_ entries: inout [Node.Entry]) {
        guard let node = entries.value(at: path[...]), case .text(let name) = node.content else { return }
        named(name)?.complete(&entries, at: node.position)
    }

    /// - Parameters:
    ///   - entries: The file's.
    ///   - position: Where the file names the protocol: there errors of what it supplies are told.
    func complete(_ entries: inout [Node.Entry], at position: Position) {
        for setting in settings {
            guard let document = try? Document(Array(setting.value.utf8)), let value = document.root else {
                preconditionFailure("protocol \(name): \(setting.key) is no YAML: \(setting.value)")
            }
            entries.supply(value.supplied(by: name, at: position), at: setting.path[...])
        }
    }
}

extension Preset.Setting {
    /// The key, part by part.
    fileprivate var path: [String] { key.split(separator: ".").map(String.init) }
    /// As a table of keys of the upstream has it: full only where it is none of these.
    var text: String {
        let upstream = "upstream."
        return "\(key.hasPrefix(upstream) ? String(key.dropFirst(upstream.count)) : key): \(value)"
    }
}

extension [Node.Entry] {
    /// What is given for a key, part by part.
    fileprivate func value(at path: ArraySlice<String>) -> Node? {
        let value = first { $0.name == path.first }?.value
        guard path.count > 1 else { return value }
        guard case .mapping(let entries)? = value?.content else { return nil }
        return entries.value(at: path.dropFirst())
    }

    /// Gives a value to a key that has none.
    fileprivate mutating func supply(_ value: Node, at path: ArraySlice<String>) {
        guard let name = path.first else { return }
        let rest = path.dropFirst()
        guard let place = firstIndex(where: { $0.name == name }) else {
            let nested = rest.reversed().reduce(value) { inner, name in
                let entry = Node.Entry(name: name, position: inner.position, value: inner)
                return Node(position: inner.position, content: .mapping([entry]), preset: inner.preset)
            }
            append(Node.Entry(name: name, position: value.position, value: nested))
            return
        }
        guard !rest.isEmpty, case .mapping(var entries) = self[place].value.content else { return }
        entries.supply(value, at: rest)
        self[place].value.content = .mapping(entries)
    }
}

extension Node {
    /// The same value, given by a protocol.
    fileprivate func supplied(by preset: String, at position: Position) -> Node {
        let content: Content =
            switch self.content {
            case .nothing, .text, .refused: self.content
            case .list(let nodes): .list(nodes.map { $0.supplied(by: preset, at: position) })
            case .mapping(let entries):
                .mapping(
                    entries.map {
                        Entry(
                            name: $0.name, position: position,
                            value: $0.value.supplied(by: preset, at: position))
                    })
            }
        return Node(position: position, content: content, preset: preset)
    }
}

extension ValueType where Value == String {
    /// The name of a known protocol.
    static var preset: ValueType {
        let names = Preset.all.map(\.name)
        let allowed = Allowed(names)
        return ValueType("PROTOCOL", allowed) { node, decoding in
            guard case .text(let name) = node.content else {
                decoding.refuse(node, allowed: allowed)
                return nil
            }
            if names.contains(name) { return name }
            if let near = nearest(to: name.lowercased(), among: names) {
                decoding.report("found \(node.found); did you mean '\(near)'?", at: node.position)
            } else {
                decoding.refuse(node, allowed: allowed)
            }
            return nil
        } write: { name in
            .scalar(name)
        }
    }
}
