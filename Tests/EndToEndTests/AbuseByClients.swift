import Glibc
import Linux
import TestSupport
import Testing

extension Abuse {
    /// What local programs do.
    static let byClients = [
        Abuse("a client that never reads, in a flood") { scene in
            try scene.connect()
            try scene.flood()
        },
        Abuse("a client that never reads, where messages are dropped", wire: .delimiter) { scene in
            try scene.connect(to: "lossy")
            try scene.flood()
        },
        Abuse("a client that reads a few bytes now and then") { scene in
            let slow = try scene.connect()[0]
            for _ in 0..<30 {
                try scene.flood(messages: 100)
                _ = slow.receiveNow(atMost: 10)
            }
        },
        Abuse("a hundred clients that never read") { scene in
            try scene.connect(100)
            try scene.flood()
        },
        Abuse("a program that is killed in a flood") { scene in
            let program = try program(scene)
            try scene.flood(messages: 300)
            program.signal(SIGKILL)
            try scene.flood()
        },
        Abuse("a program that is stopped in a flood, and goes on") { scene in
            let program = try program(scene)
            program.signal(SIGSTOP)
            try scene.flood()
            program.signal(SIGCONT)
            try eventually("the program to be gone") { scene.daemon.clientCount() == 0 }
        },
        Abuse("a client that closes with unread messages") { scene in
            let client = try scene.connect()[0]
            try scene.flood(messages: 10)
            client.close()
        },
        Abuse("clients that come and go a thousand times") { scene in
            for _ in 0..<1000 { try Stream.connecting(to: .unix(path: scene.daemon.path())).close() }
        },
        Abuse("five hundred clients at once") { scene in
            try scene.connect(500)
            try scene.flood(messages: 20)
        },
        Abuse("a client that closes its sending side, and reads") { scene in
            let client = try scene.connect()[0]
            client.finishSending()
            try scene.flood(messages: 20)
        },
        Abuse("a client that closes its sending side, and never reads") { scene in
            try scene.connect()[0].finishSending()
            try scene.flood()
        },
        Abuse("a client that closes its receiving side") { scene in
            let client = try scene.connect()[0]
            shutdown(client.raw, Int32(SHUT_RD))
            try scene.flood(messages: 20)
        },
        Abuse("a client that sends a message without an end") { scene in
            let client = try scene.connect()[0]
            try client.send([UInt8](repeating: 0x61, count: 20_000))
            _ = try client.receiveToEnd()
        },
        Abuse("a client that sends random bytes", wire: .length) { scene in
            var random = Seeded(3)
            let client = try scene.connect()[0]
            try client.send([0xFF] + (0..<1000).map { _ in UInt8.random(in: 0...255, using: &random) })
            _ = try client.receiveToEnd()
        },
        Abuse("a client that sends byte by byte") { scene in
            let client = try scene.connect()[0]
            for byte in scene.wire.frame("in pieces") { try client.send([byte]) }
            _ = try scene.server.receive(through: scene.wire.frame("in pieces"))
        },
        Abuse("a client that leaves in the middle of a message") { scene in
            let client = try scene.connect()[0]
            try client.send(Array(scene.wire.frame("half a message").dropLast(3)))
            client.close()
        },
        Abuse("a client that sends a hundred thousand empty messages") { scene in
            let client = try scene.connect()[0]
            let empty = [UInt8](repeating: 0x0A, count: 1000)
            for _ in 0..<100 {
                try client.send(empty)
                _ = try scene.server.receive(empty.count)
            }
        },
        Abuse("a client that sends urgent data (MSG_OOB)") { scene in
            let client = try scene.connect()[0]
            for _ in 0..<10 {
                _ = Glibc.send(client.raw, "!", 1, Int32(MSG_OOB) | Int32(MSG_NOSIGNAL))
            }
        },
        Abuse("a client that passes a hundred descriptors") { scene in
            let client = try scene.connect()[0]
            for _ in 0..<100 { try client.passDescriptor() }
        },
        Abuse("a client that sends where nobody may") { scene in
            let client = try scene.connect(to: "quiet")[0]
            #expect(throws: SystemError.self) { try client.send([UInt8](repeating: 0x0A, count: 100_000)) }
        },
        Abuse("ten clients that flood an upstream that does not read") { scene in
            for client in try scene.connect(10) { try client.fill() }
        },
        Abuse("clients that flood an upstream that does not read, and are gone") { scene in
            for client in try scene.connect(10) {
                try client.fill()
                client.close()
            }
        },
    ]

    /// A client that is a process of its own.
    private static func program(_ scene: AbuseScene) throws -> ChildProcess {
        let program = try scene.daemon.tail("--socket", "default")
        try eventually("the program to be connected") { scene.daemon.clientCount() == 1 }
        return program
    }
}

extension Stream {
    /// Sends a byte, and a descriptor of its own along with it (unix(7), SCM_RIGHTS).
    func passDescriptor(with byte: UInt8 = 0x0A) throws {
        var byte = byte
        var control = [UInt8](repeating: 0, count: 24)
        control.withUnsafeMutableBytes { bytes in
            bytes.storeBytes(of: 20, as: Int.self)
            bytes.storeBytes(of: Int32(SOL_SOCKET), toByteOffset: 8, as: Int32.self)
            bytes.storeBytes(of: Int32(SCM_RIGHTS), toByteOffset: 12, as: Int32.self)
            bytes.storeBytes(of: raw, toByteOffset: 16, as: Int32.self)
        }
        let count = withUnsafeMutablePointer(to: &byte) { base in
            var vector = iovec(iov_base: base, iov_len: 1)
            return withUnsafeMutablePointer(to: &vector) { vector in
                control.withUnsafeMutableBytes { control in
                    var header = msghdr()
                    header.msg_iov = vector
                    header.msg_iovlen = 1
                    header.msg_control = control.baseAddress
                    header.msg_controllen = control.count
                    return sendmsg(raw, &header, Int32(MSG_NOSIGNAL))
                }
            }
        }
        guard count == 1 else { throw SystemError(call: "sendmsg", code: errno) }
    }
}
