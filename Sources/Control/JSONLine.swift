import FoundationEssentials

/// A value as JSON, as a program prints it for other programs: one line, the keys in order.
public func jsonLine(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(value) else { preconditionFailure("a value that is no JSON") }
    return String(decoding: data, as: UTF8.self) + "\n"
}
