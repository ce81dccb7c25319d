import Framing

/// Which of the received messages are answers to a heartbeat.
public struct Answers: Equatable, Sendable {
    /// The payload of each begins with these bytes.
    public var beginning: [UInt8]
    /// Readers are not given them.
    public var areHidden: Bool

    public init(beginning: [UInt8], areHidden: Bool) {
        self.beginning = beginning
        self.areHidden = areHidden
    }
}

/// Counts the answers among the frames on their way into an index, and hides them if that is asked for.
///
/// Safe: it lives no longer than what both pointers point to is lent.
@safe struct AnswerSink: FrameSink {
    private let index: UnsafeMutablePointer<FrameIndex>
    private let bytes: UnsafeBufferPointer<UInt8>
    private let answers: Answers
    private let framing: Framing
    /// Where payloads are put together, if the framing spells them otherwise.
    var scratch: [UInt8] = []
    /// Where the next frame begins.
    private var position = 0
    private(set) var count: UInt64 = 0

    /// - Parameters:
    ///   - index: Takes the frames.
    ///   - bytes: What is decoded.
    ///   - answers: What is looked for.
    ///   - framing: How the payloads of frames are spelt.
    init(
        into index: UnsafeMutablePointer<FrameIndex>, _ bytes: UnsafeBufferPointer<UInt8>, _ answers: Answers,
        _ framing: Framing
    ) {
        unsafe self.index = index
        unsafe self.bytes = bytes
        self.answers = answers
        self.framing = framing
    }

    mutating func append(_ frame: Frame) {
        let isAnswer = isAnswer(frame)
        position += Int(frame.length)
        if isAnswer { count += 1 }
        if isAnswer && answers.areHidden {
            unsafe index.pointee.append(frame, for: .nobody)
        } else {
            unsafe index.pointee.append(frame)
        }
    }

    private mutating func isAnswer(_ frame: Frame) -> Bool {
        let payload = frame.payload
        guard payload.count >= answers.beginning.count else { return false }
        let start = position + payload.lowerBound
        guard framing.hasEscapes else { return unsafe bytes[start...].starts(with: answers.beginning) }
        let spelt = unsafe Span(_unsafeElements: bytes).extracting(start..<start + payload.count)
        scratch.removeAll(keepingCapacity: true)
        framing.appendBeginning(of: spelt, atLeast: answers.beginning.count, to: &scratch)
        return scratch.starts(with: answers.beginning)
    }

    mutating func skip(_ count: Int, _ reason: SkipReason) {
        position += count
        unsafe index.pointee.skip(count, reason)
    }
}
