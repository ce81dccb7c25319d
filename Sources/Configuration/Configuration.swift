extension Configuration {
    /// Reads a configuration file.
    ///
    /// - Parameters:
    ///   - path: The file; its name without `.yaml` or `.yml` is the bridge's.
    ///   - runtimeDirectory: Where sockets are that name no path.
    /// - Throws: Everything that is wrong with the file, or why it cannot be read.
    public init(contentsOf path: String, runtimeDirectory: String) throws(ConfigurationErrors) {
        let bytes: [UInt8]
        do {
            bytes = try read(path, atMost: Self.longestFile)
        } catch {
            throw ConfigurationErrors(
                [ConfigurationError(file: path, position: nil, key: nil, message: error.message)],
                mayPass: error.mayPass)
        }
        try self.init(parsing: bytes, path: path, runtimeDirectory: runtimeDirectory)
    }

    /// Reads what a configuration file holds.
    ///
    /// - Parameters:
    ///   - bytes: What it holds.
    ///   - path: Its path, for errors and the bridge's name.
    ///   - runtimeDirectory: Where sockets are that name no path.
    /// - Throws: Everything that is wrong with it.
    public init(parsing bytes: [UInt8], path: String, runtimeDirectory: String) throws(ConfigurationErrors) {
        var directory = runtimeDirectory[...]
        while directory.hasSuffix("/") { directory.removeLast() }
        let name = Self.name(ofBridgeAt: path)
        var decoding = Decoding(file: path, bridge: name, runtimeDirectory: String(directory))
        if !isName(name) {
            decoding.report("found \"\(printable(name))\" as the bridge's name; \(allowedInNames)", at: nil)
        }
        self = .blank
        self.name = name
        decoding.fill(&self, from: bytes)
        let errors = decoding.errors
        guard errors.isEmpty else { throw ConfigurationErrors(inOrder(errors)) }
    }

    /// Every setting in effect, as YAML that gives an equal configuration to a bridge of the same name.
    public func yaml() -> String { Output.lines(Keys.bridge.write(self)) }

    /// Where the control socket of a bridge is: people find it by its name, so no configuration moves it.
    public static func controlPath(of bridge: String, in runtimeDirectory: String) -> String {
        "\(runtimeDirectory)/\(bridge).control"
    }

    /// Every key with its type, its default and what it is for, in lines of at most 80 characters.
    public static var keyReference: String { KeyReference.text }

    /// Every protocol that `upstream.protocol` knows, and what it sets, in lines of at most 80 characters.
    public static var protocolReference: String { PresetReference.text }

    /// The most bytes of a file.
    static let longestFile = 1 << 20

    static func name(ofBridgeAt path: String) -> String {
        let file = path.split(separator: "/").last ?? ""
        for suffix in [".yaml", ".yml"] where file.hasSuffix(suffix) {
            return String(file.dropLast(suffix.count))
        }
        return String(file)
    }
}

extension Decoding {
    fileprivate mutating func fill(_ configuration: inout Configuration, from bytes: [UInt8]) {
        guard bytes.count <= Configuration.longestFile else {
            report("larger than \(Size.print(Configuration.longestFile))", at: nil)
            return
        }
        let document: Document
        do {
            document = try Document(bytes)
        } catch {
            report(error.message, at: error.position)
            return
        }
        report(document.problems)
        let keys = Keys.bridge.keys.map(\.name)
        guard let root = document.root, case .mapping(var entries) = root.content else {
            let found = document.root.map(\.found) ?? "no settings"
            let position = document.root?.position
            if case .refused? = document.root?.content { return }
            report(
                "found \(found); allowed is a mapping with the keys \(keys.joined(separator: ", "))",
                at: position)
            return
        }
        Preset.complete(&entries)
        Keys.bridge.read(entries, at: root.position, into: &configuration, &self)
        check(configuration)
    }
}

/// By position, and as they were found where that is the same.
private func inOrder(_ errors: [ConfigurationError]) -> [ConfigurationError] {
    let start = Position(line: 0, column: 0)
    return errors.enumerated().sorted { a, b in
        let (first, second) = (a.element.position ?? start, b.element.position ?? start)
        return first == second ? a.offset < b.offset : first < second
    }.map(\.element)
}
