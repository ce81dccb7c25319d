/// The keys of one mapping: the one place that knows what they are called, of which type they are, what they
/// default to and what they mean. Decoding, `yaml()` and the reference all come from it.
struct Table<Record: Sendable>: Sendable {
    let keys: [Key<Record>]

    init(_ keys: [Key<Record>]) { self.keys = keys }

    /// Fills a record from a mapping: what is given, and the defaults of what is not, in the table's order.
    ///
    /// - Parameters:
    ///   - entries: The mapping.
    ///   - position: Where it stands.
    ///   - record: Keeps its own value for each key that has an error.
    ///   - decoding: Takes the errors.
    ///   - owner: What an unknown key is said not to belong to.
    ///   - others: Keys that are known besides the table's.
    func read(
        _ entries: [Node.Entry], at position: Position, into record: inout Record, _ decoding: inout Decoding,
        owner: String = "", others: [String] = []
    ) {
        let known = others + keys.map(\.name)
        // What stands under a misspelt name is looked at as well, so that all that is wrong is told at once.
        var misspelt: [String: Node] = [:]
        for entry in entries where !known.contains(entry.name) {
            guard let meant = decoding.reportUnknown(entry, known: known, owner: owner) else { continue }
            misspelt[meant] = misspelt[meant] ?? entry.value
        }
        for key in keys {
            let node = entries.first { $0.name == key.name }?.value ?? misspelt[key.name]
            decoding.enter(key.name, node)
            key.read(node, position, &record, &decoding)
            decoding.leave()
        }
    }

    /// What `read` would read as this record.
    func write(_ record: Record) -> [Output.Entry] {
        keys.compactMap { key in
            key.write(record).map { Output.Entry(name: key.name, value: $0) }
        }
    }

    /// For the reference, with everything below.
    var rows: [KeyReference.Row] { keys.flatMap(\.rows) }
}

/// A row of a table.
struct Key<Record: Sendable>: Sendable {
    let name: String
    /// This key and those below it.
    let rows: [KeyReference.Row]
    /// The node is `nil` if the key is not given; the position is the mapping's.
    let read: @Sendable (Node?, Position, inout Record, inout Decoding) -> Void
    /// `nil` if nothing need be said.
    let write: @Sendable (Record) -> Output?

    /// - Parameters:
    ///   - name: The key.
    ///   - target: Where its value goes.
    ///   - type: How the value is read and written.
    ///   - fallback: The value if the key is not given.
    ///   - help: What the key is for, in a sentence or two.
    init<Value: Sendable>(
        _ name: String, _ target: any WritableKeyPath<Record, Value> & Sendable, _ type: ValueType<Value>,
        _ fallback: Default<Record, Value>, _ help: String
    ) {
        self.name = name
        rows =
            [KeyReference.Row(path: name, type: type.name, fallback: fallback.description, help: help)]
            + type.rows.map { $0.below(name) }
        read = { node, position, record, decoding in
            let value: Value?
            switch (node, fallback) {
            case (let node?, _):
                value = type.read(node, &decoding)
            case (nil, .required):
                decoding.report("missing; \(type.allowed)", at: position)
                return
            case (nil, .text(let text)):
                value = type.read(Node(position: position, content: .text(text)), &decoding)
            case (nil, .parts):
                value = type.read(Node(position: position, content: .mapping([])), &decoding)
            case (nil, .derived(_, let derive)):
                value = derive(record, decoding)
            }
            if let value { record[keyPath: target] = value }
        }
        write = { type.write($0[keyPath: target]) }
    }
}

/// The value of a key that is not given.
enum Default<Record: Sendable, Value: Sendable>: Sendable {
    /// It must be given.
    case required
    /// As if this were given.
    case text(String)
    /// As if an empty mapping were given: the defaults of the keys in it.
    case parts
    /// Worked out from the keys above it in the table, and said in words.
    case derived(String, @Sendable (Record, Decoding) -> Value)

    /// For the reference.
    var description: String? {
        switch self {
        case .required: "required"
        case .text(let text): "default \(text)"
        case .derived(let words, _): "default \(words)"
        case .parts: nil
        }
    }
}
