import Framing

/// From clients whose socket has a framing of its own.
extension Outbox {
    /// How many frames there is room for, however long the messages are.
    func roomForFrames(of inlet: Inlet) -> Int { min(space / inlet.longestTranslated, index.free) }

    /// So many bytes more are in the inlet's storage, if it is that which is read into, or else staged.
    ///
    /// - Returns: How many messages were taken.
    /// - Throws: `FramingError` after the messages before the fault were taken.
    func received(
        _ count: Int, from inlet: Inlet, translatedBy translator: InletTranslator
    ) throws(FramingError) -> Int {
        if inlet.isLong || inlet.hasUndecoded {
            inlet.received(count)
            var consumed = 0
            defer { inlet.removeFirst(consumed) }
            return try inlet.withBytes { bytes throws(FramingError) in
                try translate(bytes, of: inlet, by: translator, consumed: &consumed)
            }
        }
        let staged = inlet.count + count
        var consumed = 0
        defer {
            if consumed > 0 { inlet.removeAll() }
            translator.withStaged(staged) { inlet.append($0.extracting((consumed + inlet.count)...)) }
        }
        return try translator.withStaged(staged) { bytes throws(FramingError) in
            try translate(bytes, of: inlet, by: translator, consumed: &consumed)
        }
    }

    /// Takes as many messages as there is room for; `consumed` grows by the bytes that have been dealt with.
    private func translate(
        _ bytes: Span<UInt8>, of inlet: Inlet, by translator: InletTranslator, consumed: inout Int
    ) throws(FramingError) -> Int {
        var taken = 0
        inlet.hasUndecoded = false
        while inlet.fault == nil {
            let room = roomForFrames(of: inlet)
            guard room > 0 else {
                reserve(inlet.longestTranslated)
                inlet.hasUndecoded = true
                break
            }
            let rest = bytes.extracting(consumed...)
            let count = try unsafe rest.withUnsafeBufferPointer { buffer throws(FramingError) in
                var sink = unsafe TranslatingSink(into: self, by: translator, buffer)
                defer {
                    consumed += sink.position
                    taken += sink.taken
                    inlet.fault = sink.fault
                }
                return try inlet.decoder.decode(rest, atMost: room, into: &sink)
            }
            if count < room { break }
        }
        return taken
    }

    func append(_ payload: Span<UInt8>, in framing: Framing) throws(UnrepresentableError) {
        index.append(try memory.encode(payload, in: framing, at: index.head))
    }

    func passedOver(_ count: Int, _ reason: SkipReason) { index.count(count, reason) }
}
