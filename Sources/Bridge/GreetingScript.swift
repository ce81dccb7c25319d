import Linux
import Memory
import Uplink

/// Why the dialogue before everything else cannot be begun.
struct GreetingError: Error {
    let reason: Uplink.Reason
}

/// What the dialogue sends, the credentials in it among that: wiped when the dialogue is over.
struct GreetingScript: ~Copyable {
    /// The most bytes of a credential.
    private static let longestCredential = 4096

    private var memory: SecretMemory
    private var count = 0
    /// Of each step; empty for one that sends nothing.
    private var messages: [Range<Int>] = []
    private var credentials: [Range<Int>] = []

    private init(size: Int) throws(GreetingError) { memory = try makeSecretMemory(size: size) }

    /// What these steps send; the credentials are read afresh.
    static func read(for steps: [DialogueStep]) throws(GreetingError) -> GreetingScript {
        var script = try GreetingScript(size: size(for: steps))
        for (index, step) in steps.enumerated() {
            let start = script.count
            if case .send(let pieces) = step.action {
                for piece in pieces { try script.append(piece, step: index) }
            }
            script.messages.append(start..<script.count)
        }
        return script
    }

    /// The bytes of its memory.
    static func size(for steps: [DialogueStep]) -> Int { max(1, steps.reduce(0) { $0 + room(for: $1) }) }

    /// One byte more than a credential may have shows one that is longer.
    private static func room(for step: DialogueStep) -> Int {
        guard case .send(let pieces) = step.action else { return 0 }
        return pieces.reduce(0) { sum, piece in
            switch piece {
            case .bytes(let bytes): sum + bytes.count
            case .credential: sum + longestCredential + 1
            }
        }
    }

    private mutating func append(_ piece: DialogueStep.Piece, step: Int) throws(GreetingError) {
        switch piece {
        case .bytes(let bytes):
            memory.withMutableBytes(count..<count + bytes.count) { room in
                for index in bytes.indices { room[index] = bytes[index] }
            }
            count += bytes.count
        case .credential(let name):
            do throws(CredentialError) {
                let length = try read(try Credential(name).open())
                credentials.append(count..<count + length)
                count += length
            } catch {
                let fault = Uplink.GreetingFault.credential(name, reason: error.reason)
                throw GreetingError(reason: .greeting(step: step, fault, said: ""))
            }
        }
    }

    /// Reads a credential to where it is to be sent from.
    ///
    /// - Returns: Its length, without the line's end that an editor may have left behind it.
    private mutating func read(_ file: borrowing FileDescriptor) throws(CredentialError) -> Int {
        var length = 0
        do throws(SystemError) {
            reading: while length <= Self.longestCredential {
                let room = count + length..<count + Self.longestCredential + 1
                switch try memory.withMutableBytes(
                    room, { bytes throws(SystemError) in try file.read(into: &bytes) })
                {
                case .moved(let moved): length += moved
                case .ended, .wouldBlock: break reading
                }
            }
        } catch {
            throw CredentialError(error.description)
        }
        guard length <= Self.longestCredential else {
            throw CredentialError("it has more than \(Self.longestCredential) bytes")
        }
        let endsLine = memory.withBytes(count..<count + length) { $0.count > 0 && $0[$0.count - 1] == 0x0A }
        if endsLine { length -= 1 }
        guard length > 0 else { throw CredentialError("it is empty") }
        return length
    }

    /// How many bytes a step sends.
    func length(ofStep step: Int) -> Int { messages[step].count }

    /// Lends what a step sends, without the first `sent` bytes.
    func withMessage<R, E: Error>(
        ofStep step: Int, after sent: Int, _ body: (Span<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        try memory.withBytes(messages[step].dropFirst(sent), body)
    }

    /// Hides each credential in what was said.
    func hideCredentials(in words: inout Words, _ bytes: Span<UInt8>) {
        for range in credentials { memory.withBytes(range) { words.hide($0, in: bytes) } }
    }
}

/// Memory for what the dialogue sends or receives.
func makeSecretMemory(size: Int) throws(GreetingError) -> SecretMemory {
    do throws(MemoryError) {
        return try SecretMemory(size: size)
    } catch {
        throw GreetingError(reason: .system(call: error.call, errno: error.code))
    }
}
