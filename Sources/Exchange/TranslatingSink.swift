import Framing

/// Encodes the frames that a decoder finds in what a client has sent, and puts them into the outbox.
///
/// Safe: it lives no longer than what `bytes` points to is lent.
@safe struct TranslatingSink: FrameSink {
    private let outbox: Outbox
    private let translator: InletTranslator
    private let bytes: UnsafeBufferPointer<UInt8>
    /// Where the next frame begins.
    private(set) var position = 0
    /// How many messages the outbox was given.
    private(set) var taken = 0
    /// What ends the client: nothing that follows is taken.
    private(set) var fault: UnrepresentableError?

    init(into outbox: Outbox, by translator: InletTranslator, _ bytes: UnsafeBufferPointer<UInt8>) {
        self.outbox = outbox
        self.translator = translator
        unsafe self.bytes = bytes
    }

    mutating func append(_ frame: Frame) {
        guard fault == nil else { return }
        let start = position
        position += Int(frame.length)
        let found = unsafe Span(_unsafeElements: bytes).extracting(start..<position)
        translator.withPayload(of: frame, in: found) { payload in
            do throws(UnrepresentableError) {
                try outbox.append(payload, in: translator.target)
                taken += 1
            } catch {
                if translator.lost(error, bytes: payload.count) { fault = error }
            }
        }
    }

    mutating func skip(_ count: Int, _ reason: SkipReason) {
        guard fault == nil else { return }
        position += count
        outbox.passedOver(count, reason)
    }
}
