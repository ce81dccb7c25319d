extension Decoder {
    /// Drops the first message, and goes on as `decodeRest` does.
    @inlinable
    mutating func decodeFirst<Sink: FrameSink & ~Copyable>(
        _ bytes: Span<UInt8>, atMost limit: Int, into sink: inout Sink
    ) throws(FramingError) -> Int {
        var start = 0
        var count = 0
        while isFirstDue {
            guard count < limit else { return count }
            var one = OneEntry()
            guard try decodeRest(bytes.extracting(start...), atMost: 1, into: &one) > 0 else { return count }
            sink.skip(one.length, one.reason)
            start += one.length
            count += 1
            isFirstDue = !endsFirst(one.reason)
        }
        guard count < limit else { return count }
        return count + (try decodeRest(bytes.extracting(start...), atMost: limit - count, into: &sink))
    }

    /// What is skipped between messages tells where the next one begins, but for white space.
    @inlinable
    func endsFirst(_ reason: SkipReason) -> Bool {
        guard case .json = kind else { return true }
        return reason != .between
    }
}

/// Takes one frame, as one to be dropped, or one skipped range.
@usableFromInline struct OneEntry: FrameSink {
    @usableFromInline var length = 0
    @usableFromInline var reason = SkipReason.between

    @inlinable
    init() {}

    @inlinable
    mutating func append(_ frame: Frame) {
        length = Int(frame.length)
        reason = .first(isBeginning: true)
    }

    @inlinable
    mutating func skip(_ count: Int, _ reason: SkipReason) {
        length = count
        self.reason = reason
    }
}
