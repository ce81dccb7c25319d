import TestSupport

/// The upstream's end of a connection with which nothing is wrong.
final class WellConnection {
    let stream: Stream
    private let peer: TLSPeer?
    /// Encrypted, and not taken by the kernel yet.
    private var sealed: ArraySlice<UInt8> = []

    static let login = Array("login\n".utf8)
    static let welcome = Array("OK\n".utf8)

    /// Waits for the handshake, and for the login, once, if there is to be one.
    init(_ stream: Stream, tls: TLSPeer.Server?, greets: Bool) throws {
        self.stream = stream
        peer = try tls.map { try TLSPeer($0, on: stream.raw) }
        try peer?.handshake()
        guard greets else { return }
        let received = try stream.receive(Self.login.count)
        guard received == Self.login else {
            throw UnexpectedEnd(received: received, wanted: Self.login.count)
        }
        try stream.send(Self.welcome)
    }

    /// Sends what the kernel takes now.
    ///
    /// - Returns: How many bytes that were.
    func sendSome(_ bytes: ArraySlice<UInt8>) throws -> Int {
        guard let peer else { return try stream.sendSome(bytes) }
        sealed = sealed.dropFirst(try stream.sendSome(sealed))
        guard sealed.isEmpty, !bytes.isEmpty else { return 0 }
        sealed = peer.seal(Array(bytes))[...]
        sealed = sealed.dropFirst(try stream.sendSome(sealed))
        return bytes.count
    }

    /// What has arrived by now.
    func receiveNow() -> Stream.Arrival {
        guard let peer else { return stream.receiveNow() }
        guard let bytes = try? peer.receiveNow() else { return .end }
        return bytes.isEmpty ? .nothing : .bytes(bytes)
    }
}
