/// Finds one frame at a time, and remembers how far it has looked.
@usableFromInline protocol FrameDecoder: Sendable {
    /// How many bytes at the start of `bytes`, which are all bytes not yet consumed, are in no message, and are to be
    /// skipped before `next` is asked.
    mutating func passBetween(_ bytes: Span<UInt8>) -> Int

    /// Takes whole frames from `start` on, as long as that is cheap: a shortcut that may take none. What it leaves, a fault too,
    /// is for `passBetween` and `next`.
    mutating func takeRun<Sink: FrameSink & ~Copyable>(
        _ bytes: Span<UInt8>, from start: inout Int, count: inout Int, atMost limit: Int,
        into sink: inout Sink)

    /// The frame at the start of `bytes`, which are all bytes not yet consumed; `nil` until more arrive.
    mutating func next(in bytes: Span<UInt8>) throws(FramingError) -> Frame?

    /// How many of the first of `bytes` are a damaged message, if that is what `next` has just failed for.
    mutating func takeDamaged() -> Int?

    /// The message at the start of `bytes`, which `next` has just found too long, is to be passed over.
    ///
    /// - Returns: Its length in the stream, if that is known.
    func beginPassingOver(_ bytes: Span<UInt8>) throws(FramingError) -> UInt64?

    /// Decides how much there is of the message that is being passed over.
    ///
    /// - Parameters:
    ///   - bytes: All bytes not yet consumed.
    ///   - left: How many are to come, if that is known.
    /// - Returns: How many of the first of `bytes` belong to it, and whether it ends there. If it does not, it is asked again
    ///   about the rest; of what is then still left it has to see more.
    /// - Throws: What is wrong with the first of `bytes`.
    mutating func passOver(_ bytes: Span<UInt8>, left: UInt64?) throws(FramingError) -> (
        count: Int, isOver: Bool
    )
}

/// What becomes of a message that is too long or the first, and how far that has got.
@usableFromInline struct PassingOver: Sendable {
    @usableFromInline enum Progress: Sendable {
        case nothing
        /// None of its bytes was skipped yet.
        case begins
        case goesOn
    }
    @usableFromInline let isSkipped: Bool
    @usableFromInline var progress = Progress.nothing
    /// Bytes to come, if the message told its length.
    @usableFromInline var left: UInt64?
    /// The message is passed over for it is the first of the stream.
    @usableFromInline var isFirst: Bool

    init(isSkipped: Bool, passesFirst: Bool) {
        self.isSkipped = isSkipped
        isFirst = passesFirst
        if passesFirst { progress = .begins }
    }

    @inlinable
    var reason: SkipReason {
        let isBeginning = progress == .begins
        return isFirst ? .first(isBeginning: isBeginning) : .oversize(isBeginning: isBeginning)
    }

    @inlinable
    mutating func end() {
        progress = .nothing
        isFirst = false
    }
}

extension FrameDecoder {
    @inlinable @inline(__always)
    mutating func passBetween(_ bytes: Span<UInt8>) -> Int { 0 }

    @inlinable @inline(__always)
    mutating func takeRun<Sink: FrameSink & ~Copyable>(
        _ bytes: Span<UInt8>, from start: inout Int, count: inout Int, atMost limit: Int,
        into sink: inout Sink
    ) {}

    @inlinable
    mutating func takeDamaged() -> Int? { nil }

    @inlinable
    func beginPassingOver(_ bytes: Span<UInt8>) throws(FramingError) -> UInt64? { nil }

    /// How much there is of a message that has told its length.
    @inlinable
    func passOver(_ bytes: Span<UInt8>, counted left: UInt64?) -> (count: Int, isOver: Bool) {
        guard let left else { preconditionFailure("a message whose length is not known") }
        return left <= UInt64(bytes.count) ? (Int(left), true) : (bytes.count, false)
    }

    @inlinable
    mutating func decode<Sink: FrameSink & ~Copyable>(
        _ bytes: Span<UInt8>, atMost limit: Int, _ oversize: inout PassingOver, into sink: inout Sink
    ) throws(FramingError) -> Int {
        // Of a copy, the loop keeps the fields in registers.
        var decoder = self
        defer { self = decoder }
        var start = 0
        var count = 0
        while true {
            if oversize.progress != .nothing {
                guard count < limit else { return count }
                let (skipped, isOver) = try decoder.passOver(bytes.extracting(start...), left: oversize.left)
                oversize.left = oversize.left.map { $0 - UInt64(skipped) }
                if skipped > 0 {
                    sink.skip(skipped, oversize.reason)
                    start += skipped
                    count += 1
                    oversize.progress = .goesOn
                }
                guard isOver else {
                    if skipped > 0, start < bytes.count { continue }
                    return count
                }
                oversize.end()
            }
            decoder.takeRun(bytes, from: &start, count: &count, atMost: limit, into: &sink)
            do throws(FramingError) {
                while count < limit {
                    let rest = bytes.extracting(start...)
                    let between = decoder.passBetween(rest)
                    if between > 0 {
                        sink.skip(between, .between)
                        start += between
                        count += 1
                        continue
                    }
                    guard let frame = try decoder.next(in: rest) else { break }
                    sink.append(frame)
                    start &+= Int(frame.length)
                    count &+= 1
                }
                return count
            } catch {
                if let damaged = decoder.takeDamaged() {
                    sink.skip(damaged, .damaged)
                    start += damaged
                    count += 1
                    continue
                }
                guard oversize.isSkipped, case .tooLong = error else { throw error }
                oversize.left = try decoder.beginPassingOver(bytes.extracting(start...))
                oversize.progress = .begins
            }
        }
    }
}
