/// How much an entry of the log matters (syslog(3)).
public enum LogLevel: Int, Sendable, CaseIterable {
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6
    case debug = 7
}

extension LogLevel: Comparable {
    /// What is more urgent is less.
    public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }
}

/// Something that the journal keeps beside an entry's words, and finds it by (systemd.journal-fields(7)).
public struct JournalField: Equatable, Sendable {
    /// Capital letters, digits and underscores, a letter first; at most 64 of them.
    public let name: String
    public let value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// One entry of the log.
public struct JournalEntry: Equatable, Sendable {
    public let level: LogLevel
    /// MESSAGE_ID: 32 hexadecimal digits, the same for all entries of a kind.
    public let id: String
    public let message: String
    public let fields: [JournalField]

    public init(_ level: LogLevel, id: String, _ message: String, _ fields: [JournalField]) {
        self.level = level
        self.id = id
        self.message = message
        self.fields = fields
    }
}

extension JournalEntry {
    /// Bytes of a message or a field's value, at most: so an entry always fits into one datagram.
    static let longestValue = 4096

    /// One line, without its end: control characters, of a server's words say, are harmless.
    var line: String {
        var clean = String.UnicodeScalarView()
        for scalar in cut(message).unicodeScalars {
            clean.append(scalar.properties.generalCategory == .control ? " " : scalar)
        }
        return String(clean)
    }

    /// What journald takes from its native socket (https://systemd.io/JOURNAL_NATIVE_PROTOCOL/).
    ///
    /// - Parameter common: Fields of every entry of this process.
    /// - Returns: One datagram.
    func datagram(with common: [JournalField]) -> [UInt8] {
        let own = [
            JournalField("MESSAGE", line), JournalField("PRIORITY", "\(level.rawValue)"),
            JournalField("MESSAGE_ID", id),
        ]
        var bytes: [UInt8] = []
        for field in own + common + fields {
            let value = Array(cut(field.value).utf8)
            bytes += field.name.utf8
            if value.contains(0x0A) {
                bytes.append(0x0A)
                bytes += (0..<8).map { UInt8(truncatingIfNeeded: value.count >> ($0 * 8)) }
            } else {
                bytes.append(0x3D)
            }
            bytes += value
            bytes.append(0x0A)
        }
        return bytes
    }

    /// Ends in `…` when something is missing.
    private func cut(_ text: String) -> String {
        guard text.utf8.count > Self.longestValue else { return text }
        let mark = "…"
        var end = text.utf8.index(text.startIndex, offsetBy: Self.longestValue - mark.utf8.count)
        while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
        return text[..<end] + mark
    }
}
