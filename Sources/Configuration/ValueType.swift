/// A type of value: how it is read from YAML, and how it is written so that it is read back the same.
struct ValueType<Value: Sendable>: Sendable {
    /// What the reference calls it.
    let name: String
    /// What errors say.
    let allowed: Allowed
    /// The keys below, if it is a mapping.
    let rows: [KeyReference.Row]
    /// `nil` once it has reported why.
    let read: @Sendable (Node, inout Decoding) -> Value?
    /// `nil` if leaving it out says the same.
    let write: @Sendable (Value) -> Output?

    init(
        _ name: String, _ allowed: Allowed, rows: [KeyReference.Row] = [],
        read: @escaping @Sendable (Node, inout Decoding) -> Value?,
        write: @escaping @Sendable (Value) -> Output?
    ) {
        self.name = name
        self.allowed = allowed
        self.rows = rows
        self.read = read
        self.write = write
    }

    /// A type of which each value is one scalar.
    ///
    /// - Parameters:
    ///   - name: What the reference calls it.
    ///   - allowed: What errors say.
    ///   - parse: `nil` for what is not allowed.
    ///   - print: The shortest text that is parsed to the value; `nil` if leaving it out says the same.
    /// - Returns: The type.
    static func scalar(
        _ name: String, _ allowed: Allowed, parse: @escaping @Sendable (String) -> Value?,
        print: @escaping @Sendable (Value) -> String?
    ) -> ValueType {
        ValueType(name, allowed) { node, decoding in
            if case .text(let text) = node.content, let value = parse(text) { return value }
            decoding.refuse(node, allowed: allowed)
            return nil
        } write: { value in
            print(value).map { Output.scalar($0) }
        }
    }

    /// A type of which each value is one scalar, or nothing where the key is left out.
    static func optional<Wrapped>(_ type: ValueType<Wrapped>) -> ValueType where Value == Wrapped? {
        ValueType(type.name, type.allowed, rows: type.rows) { node, decoding in
            type.read(node, &decoding)
        } write: { value in
            value.flatMap { type.write($0) }
        }
    }

    /// One value, or a list of at least one.
    static func list<Element: Sendable>(_ element: ValueType<Element>) -> ValueType where Value == [Element] {
        ValueType("\(element.name), or a list", element.allowed, rows: element.rows) { node, decoding in
            guard case .list(let nodes) = node.content else {
                return element.read(node, &decoding).map { [$0] }
            }
            if nodes.isEmpty { decoding.report("found an empty list; \(element.allowed)", at: node.position) }
            let values = nodes.compactMap { element.read($0, &decoding) }
            return values.count == nodes.count && !values.isEmpty ? values : nil
        } write: { values in
            values.count == 1 ? element.write(values[0]) : .list(values.compactMap { element.write($0) })
        }
    }

    /// One value, or a list, which may be empty.
    static func listOrEmpty<Element: Sendable>(
        _ element: ValueType<Element>
    ) -> ValueType where Value == [Element] {
        let list = ValueType.list(element)
        return ValueType(list.name, list.allowed, rows: list.rows) { node, decoding in
            if case .list(let nodes) = node.content, nodes.isEmpty { return [] }
            return list.read(node, &decoding)
        } write: { values in
            values.isEmpty ? .list([]) : list.write(values)
        }
    }

    /// One value, a list of at least one, or nothing where the key is left out.
    static func listOrNone<Element: Sendable>(
        _ element: ValueType<Element>
    ) -> ValueType where Value == [Element] {
        let list = ValueType.list(element)
        return ValueType(list.name, list.allowed, rows: list.rows, read: list.read) { values in
            values.isEmpty ? nil : list.write(values)
        }
    }
}

// MARK: Mappings

extension ValueType {
    /// A mapping with the keys of a table.
    ///
    /// - Parameters:
    ///   - blank: What the table fills.
    ///   - table: The keys.
    ///   - style: How it is written.
    /// - Returns: The type.
    static func mapping(_ blank: Value, _ table: Table<Value>, style: Output.Style = .block) -> ValueType {
        let allowed = Allowed("a mapping with the keys \(table.keys.map(\.name).joined(separator: ", "))")
        return ValueType("mapping", allowed, rows: table.rows) { node, decoding in
            guard case .mapping(let entries) = node.content else {
                decoding.refuse(node, allowed: allowed)
                return nil
            }
            var record = blank
            table.read(entries, at: node.position, into: &record, &decoding)
            return record
        } write: { record in
            .mapping(table.write(record), style)
        }
    }

    /// A mapping from names to mappings with the keys of a table; after a name there may be nothing.
    ///
    /// - Parameters:
    ///   - name: Where a record keeps its name.
    ///   - fallback: The only name if there is none.
    ///   - blank: What the table fills.
    ///   - table: The keys.
    /// - Returns: The type.
    static func named<Record: Sendable>(
        _ name: any WritableKeyPath<Record, String> & Sendable, fallback: String, _ blank: Record,
        _ table: Table<Record>
    ) -> ValueType where Value == [Record] {
        let allowed = Allowed("a mapping from names to mappings")
        return ValueType("mapping", allowed, rows: table.rows.map { $0.below("NAME") }) { node, decoding in
            var entries: [Node.Entry] = []
            switch node.content {
            case .mapping(let given): entries = given
            case .nothing: break
            case .text, .list, .refused:
                decoding.refuse(node, allowed: allowed)
                return nil
            }
            if entries.isEmpty {
                entries = [Node.Entry(name: fallback, position: node.position, value: node)]
            }
            return entries.map { entry in
                var record = blank
                record[keyPath: name] = entry.name
                return ValueType<Record>.mapping(record, table).read(named: entry, &decoding) ?? record
            }
        } write: { records in
            let entries = records.map {
                Output.Entry(name: $0[keyPath: name], value: .mapping(table.write($0), .block))
            }
            return .mapping(entries, .block)
        }
    }
}

extension ValueType {
    /// Reads an entry of a mapping whose keys are names.
    fileprivate func read(named entry: Node.Entry, _ decoding: inout Decoding) -> Value? {
        decoding.enter(keyPart(entry.name), entry.value)
        defer { decoding.leave() }
        if !isName(entry.name) {
            let found = "found \"\(printable(entry.name))\" as a name"
            decoding.report("\(found); \(allowedInNames)", at: entry.position)
        }
        var body = entry.value
        if case .nothing = body.content { body.content = .mapping([]) }
        return read(body, &decoding)
    }
}

/// Whether a bridge or a socket may be called this.
public func isName(_ text: String) -> Bool {
    !text.isEmpty
        && text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
}

let allowedInNames = Allowed(["letters", "digits", "'_' and '-'"])
