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
    /// Where the next frame begins.
    private var position = 0
    private(set) var count: UInt64 = 0

    /// - Parameters:
    ///   - index: Takes the frames.
    ///   - bytes: What is decoded.
    ///   - answers: What is looked for.
    init(
        into index: UnsafeMutablePointer<FrameIndex>, _ bytes: UnsafeBufferPointer<UInt8>, _ answers: Answers
    ) {
        unsafe self.index = index
        unsafe self.bytes = bytes
        self.answers = answers
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

    private func isAnswer(_ frame: Frame) -> Bool {
        let payload = frame.payload
        guard payload.count >= answers.beginning.count else { return false }
        return unsafe bytes[(position + payload.lowerBound)...].starts(with: answers.beginning)
    }

    mutating func skip(_ count: Int, _ reason: SkipReason) {
        position += count
        unsafe index.pointee.skip(count, reason)
    }
}
