/// One kind of a type that has several, each with keys of its own.
struct Variant<Value: Sendable>: Sendable {
    let name: String
    let rows: [KeyReference.Row]
    /// From the entries of the mapping, which has none if only the bare name is given.
    let read: @Sendable ([Node.Entry], Position, inout Decoding) -> Value
    /// `nil` if the value is of another kind.
    let write: @Sendable (Value) -> [Output.Entry]?

    /// - Parameters:
    ///   - name: What `kind` says.
    ///   - blank: What the table fills.
    ///   - table: The keys besides `kind`.
    ///   - wrap: The value with these keys.
    ///   - unwrap: The keys of a value; `nil` if it is of another kind.
    init<Record: Sendable>(
        _ name: String, _ blank: Record, _ table: Table<Record>, wrap: @escaping @Sendable (Record) -> Value,
        unwrap: @escaping @Sendable (Value) -> Record?
    ) {
        self.name = name
        rows = table.rows.map { $0.of(kind: name) }
        read = { entries, position, decoding in
            var record = blank
            let owner = " of the kind \(name)"
            table.read(entries, at: position, into: &record, &decoding, owner: owner, others: ["kind"])
            return wrap(record)
        }
        write = { unwrap($0).map(table.write) }
    }

    /// A kind without keys.
    init(_ name: String, _ value: Value) where Value: Equatable {
        self.init(name, Nothing(), Table([])) { _ in
            value
        } unwrap: {
            $0 == value ? Nothing() : nil
        }
    }

    private struct Nothing {}
}

extension ValueType {
    /// Either the bare name of a kind, or a mapping with `kind` and the keys of that kind.
    static func variants(_ variants: [Variant<Value>], help: String) -> ValueType {
        let names = variants.map(\.name)
        let kind = KeyReference.Row(
            path: "kind", type: names.joined(separator: " | "), fallback: "required", help: help)
        return ValueType("KIND, or a mapping", Allowed(names), rows: [kind] + variants.flatMap(\.rows)) {
            node, decoding in
            switch node.content {
            case .text(let name):
                if let variant = variants.first(where: { $0.name == name }) {
                    return variant.read([], node.position, &decoding)
                }
                decoding.refuse(node, allowed: Allowed(names))
                return nil
            case .mapping(let entries):
                guard let variant = choose(from: variants, by: entries, at: node.position, &decoding) else {
                    return nil
                }
                return variant.read(entries, node.position, &decoding)
            case .nothing, .list, .refused:
                decoding.refuse(node, allowed: Allowed(names))
                return nil
            }
        } write: { value in
            for variant in variants {
                guard let entries = variant.write(value) else { continue }
                let kind = Output.Entry(name: "kind", value: .scalar(variant.name))
                return entries.isEmpty ? kind.value : .mapping([kind] + entries, .flow)
            }
            preconditionFailure("a value of no kind: \(value)")
        }
    }

    private static func choose(
        from variants: [Variant<Value>], by entries: [Node.Entry], at position: Position,
        _ decoding: inout Decoding
    ) -> Variant<Value>? {
        let allowed = Allowed(variants.map(\.name))
        let entry =
            entries.first { $0.name == "kind" }
            ?? entries.first { nearest(to: $0.name, among: ["kind"]) != nil }
        let node = entry?.value
        decoding.enter("kind", node)
        defer { decoding.leave() }
        guard let node else {
            decoding.report("missing; \(allowed)", at: position)
            return nil
        }
        if case .text(let name) = node.content, let variant = variants.first(where: { $0.name == name }) {
            return variant
        }
        decoding.refuse(node, allowed: allowed)
        return nil
    }
}
