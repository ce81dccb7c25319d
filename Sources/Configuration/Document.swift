/// A YAML file as a tree.
///
/// What a configuration has no use for, and what would make the tree's size unbounded, is refused: anchors,
/// aliases, tags, several documents, keys given twice, depth.
struct Document {
    /// Something refused, which does not keep the rest from being looked at.
    struct Problem {
        var position: Position
        var key: String?
        var message: String
    }

    /// The deepest nesting; what can be configured is 4 deep.
    static let deepest = 16
    /// The most values, lists and mappings together.
    static let mostValues = 10_000

    /// `nil` if the file holds nothing.
    private(set) var root: Node?
    private(set) var problems: [Problem] = []

    private let source: EventSource
    private var path: [String] = []
    private var depth = 0
    private var values = 0

    init(_ bytes: [UInt8]) throws(SyntaxError) {
        guard let source = EventSource(bytes) else {
            throw SyntaxError(position: nil, message: "cannot be parsed: memory is short")
        }
        self.source = source
        try read()
    }

    private mutating func read() throws(SyntaxError) {
        while true {
            let event = try source.next()
            switch event.kind {
            case .streamEnd: return
            case .documentStart:
                guard root == nil else {
                    refuse("a second document; a configuration is one", at: event.position)
                    return
                }
            case .streamStart, .documentEnd: break
            case .scalar, .listStart, .mappingStart, .alias, .listEnd, .mappingEnd: root = try node(event)
            }
        }
    }

    private mutating func refuse(_ message: String, at position: Position) {
        let key = path.isEmpty ? nil : path.joined(separator: ".")
        problems.append(Problem(position: position, key: key, message: message))
    }

    private mutating func node(_ event: Event) throws(SyntaxError) -> Node {
        values += 1
        guard values <= Self.mostValues else {
            throw SyntaxError(position: event.position, message: "more than \(Self.mostValues) values")
        }
        if event.isAnchored { refuse("found an anchor; anchors are not supported", at: event.position) }
        if event.isTagged { refuse("found a tag; tags are not supported", at: event.position) }
        var node = Node(position: event.position, content: try content(event))
        if case .scalar(_, plain: true) = event.kind { node.isPlain = true }
        return node
    }

    private mutating func content(_ event: Event) throws(SyntaxError) -> Node.Content {
        switch event.kind {
        case .scalar(let text, plain: true) where ["", "~", "null", "Null", "NULL"].contains(text):
            return .nothing
        case .scalar(let text, _):
            return .text(text)
        case .listStart, .mappingStart:
            depth += 1
            defer { depth -= 1 }
            guard depth <= Self.deepest else {
                throw SyntaxError(
                    position: event.position, message: "nested deeper than \(Self.deepest) levels")
            }
            if case .listStart = event.kind { return .list(try elements()) }
            return .mapping(try entries())
        case .alias:
            refuse("found an alias; aliases are not supported", at: event.position)
            return .refused
        case .listEnd, .mappingEnd, .documentStart, .documentEnd, .streamStart, .streamEnd:
            preconditionFailure("libyaml begins a value with \(event.kind)")
        }
    }

    private mutating func elements() throws(SyntaxError) -> [Node] {
        var nodes: [Node] = []
        while true {
            let event = try source.next()
            if case .listEnd = event.kind { return nodes }
            nodes.append(try node(event))
        }
    }

    private mutating func entries() throws(SyntaxError) -> [Node.Entry] {
        var entries: [Node.Entry] = []
        var lines: [String: Int] = [:]
        while true {
            let event = try source.next()
            if case .mappingEnd = event.kind { return entries }
            let key = try node(event)
            // Not the node's content: `null` and `~` are names here.
            guard case .scalar(let name, _) = event.kind else {
                if case .alias = event.kind {
                } else {
                    refuse("found \(key.found) as a key", at: key.position)
                }
                _ = try node(source.next())
                continue
            }
            path.append(keyPart(name))
            defer { path.removeLast() }
            let value = try node(source.next())
            if let line = lines[name] {
                refuse("given twice; first on line \(line)", at: key.position)
            } else {
                lines[name] = key.position.line
                entries.append(Node.Entry(name: name, position: key.position, value: value))
            }
        }
    }
}
