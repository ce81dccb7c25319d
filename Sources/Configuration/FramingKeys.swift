public import Framing

/// The keys of each kind of framing.
extension Keys {
    private static let line = Table<LineEnding>([
        Key(
            "ending", \.self, .choice, .text("lf"),
            "What ends a line that is written; one that is read may have either.")
    ])

    private static let delimiter = Table<[UInt8]>([
        Key("end", \.self, .bytes(1...16), .required, "What ends a message.")
    ])

    private static let length = Table<LengthField>([
        Key("bytes", \.width, .choice, .text("4"), "The size of the field that tells a message's length."),
        Key(
            "order", \.order, .choice, .text("big"),
            "Which of its bytes comes first: the most or the least significant."),
        Key(
            "offset", \.offset, .number(0...LengthField.longestOffset), .text("0"),
            "How many bytes of a header stand before the field."),
        Key(
            "adjust", \.adjust, .number(-LengthField.greatestAdjustment...LengthField.greatestAdjustment),
            .text("0"),
            "What is added to the length to get the number of bytes that follow the field; negative where it counts more."
        ),
        Key(
            "strip", \.strip, .number(0...LengthField.longestOffset),
            .derived("bytes if offset is 0, else 0") { field, _ in
                LengthField.defaultStrip(width: field.width, offset: field.offset)
            },
            "How many bytes at the start of a message are no part of what it carries."),
    ])

    private static let varint = Table<VarintField>([
        Key("bytes", \.bytes, .number(1...10), .text("10"), "The most bytes that a length may take."),
        Key(
            "offset", \.offset, .number(0...LengthField.longestOffset), .text("0"),
            "How many bytes of a header stand before the length."),
        Key(
            "strip", \.strip, .optional(.number(0...LengthField.longestOffset)),
            .derived("the length if offset is 0, else 0") { _, _ in nil },
            "How many bytes at the start of a message are no part of what it carries."),
    ])

    private static let fixed = Table<Int>([
        Key("size", \.self, .size(1...Int.max), .required, "The size of every message; at most max-message.")
    ])

    /// What stands around a message.
    private struct Marks {
        var start: [UInt8] = []
        var end: [UInt8] = []
    }

    private static let block = Table<Marks>([
        Key("start", \.start, .bytes(1...16), .required, "What begins a message."),
        Key(
            "end", \.end, .bytes(1...16), .required, "What ends it; what stands between messages is skipped."),
    ])

    private static let untilClose = Table<Duration>([
        Key(
            "every", \.self, .time(atLeast: .milliseconds(10)), .text("10s"),
            "How long after a connection's end the next one is opened.")
    ])

    private static let idle = Table<Duration>([
        Key(
            "gap", \.self, .time(atLeast: .milliseconds(1)), .text("50ms"),
            "For how long nothing comes at the end of a message.")
    ])

    fileprivate static let framings: [Variant<Framing>] = [
        Variant("line", .lf, line) {
            .line(ending: $0)
        } unwrap: { framing in
            if case .line(let ending, _) = framing { ending } else { nil }
        },
        Variant("delimiter", [], delimiter) {
            .delimiter(end: $0)
        } unwrap: { framing in
            if case .delimiter(let end) = framing { end } else { nil }
        },
        Variant("length", LengthField(width: .four), length) {
            .length($0)
        } unwrap: { framing in
            if case .length(let field) = framing { field } else { nil }
        },
        Variant("varint", VarintField(), varint) {
            .varint($0)
        } unwrap: { framing in
            if case .varint(let field) = framing { field } else { nil }
        },
        Variant("fixed", 1, fixed) {
            .fixed(size: $0)
        } unwrap: { framing in
            if case .fixed(let size) = framing { size } else { nil }
        },
        Variant("netstring", .netstring), Variant("octet-counted", .octetCounted), Variant("header", .header),
        Variant("block", Marks(), block) {
            .block(start: $0.start, end: $0.end)
        } unwrap: { framing in
            if case .block(let start, let end) = framing { Marks(start: start, end: end) } else { nil }
        },
        Variant("slip", .slip), Variant("cobs", .cobs), Variant("beast", .beast), Variant("json", .json),
        Variant("until-close", .seconds(10), untilClose) {
            .untilClose(every: $0)
        } unwrap: { framing in
            if case .untilClose(let every) = framing { every } else { nil }
        },
        Variant("idle", .milliseconds(50), idle) {
            .idle(gap: $0)
        } unwrap: { framing in
            if case .idle(let gap) = framing { gap } else { nil }
        },
        Variant("none", .unframed),
    ]
}

extension ValueType where Value == Framing {
    static var framing: ValueType {
        .variants(Keys.framings, help: "What divides the messages; the keys below belong to one kind each.")
    }
}

extension Framing {
    /// What `kind` says in a configuration.
    public var kind: String { Keys.framings.first { $0.write(self) != nil }?.name ?? "" }

    /// How clients' messages are divided where nothing is said: as the server's, unless those have their end elsewhere than
    /// in the bytes.
    public var forSending: Framing {
        switch boundary {
        case .bytes, .read: self
        case .pause, .close: .unframed
        }
    }
}
