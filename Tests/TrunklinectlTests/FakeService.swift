import Control
import Foundation
import Linux
import TestSupport

/// The control socket of a bridge that answers what the test wants, to one client, and then closes.
final class FakeService {
    let directory: TemporaryDirectory

    /// One reply for each call, as bytes; when there are no more, the connection is closed, unless it hangs.
    init(_ replies: [[UInt8]], hangs: Bool = false) throws {
        directory = try TemporaryDirectory()
        let listener = try FileDescriptor.listening(on: .unix(path: directory("ais.control"))).release()
        Thread.detachNewThread {
            let listener = FileDescriptor(owning: listener)
            try? Self.serve(listener, replies, hangs: hangs)
        }
    }

    private static func serve(_ listener: borrowing FileDescriptor, _ replies: [[UInt8]], hangs: Bool) throws
    {
        try listener.wait(for: .readable)
        guard let client = try listener.accept() else { return }
        for reply in replies {
            guard try takeCall(client) else { return }
            try client.sendAll(reply.span)
        }
        // Until the client has gone.
        while hangs, try takeCall(client) {}
    }

    private static func takeCall(_ client: borrowing FileDescriptor) throws -> Bool {
        var byte: [UInt8] = [1]
        while byte[0] != 0 {
            try client.wait(for: .readable)
            var free = byte.mutableSpan
            if try client.receive(into: &free) == .ended { return false }
        }
        return true
    }
}
