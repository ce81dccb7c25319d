import Glibc
import TestSupport

extension Abuse {
    /// What upstreams do.
    static let byServers = [
        Abuse("an upstream that is silent") { _ in },
        Abuse("an upstream that never reads") { scene in
            try scene.connect()[0].fill()
        },
        Abuse("an upstream that closes at once, twenty times") { scene in
            for _ in 0..<20 {
                scene.server.close()
                try scene.accept()
            }
        },
        Abuse("an upstream that resets at once, twenty times") { scene in
            for _ in 0..<20 {
                scene.server.reset()
                try scene.accept()
            }
        },
        Abuse("an upstream that greets and closes") { scene in
            for _ in 0..<5 {
                try scene.send()
                scene.server.close()
                try scene.accept()
            }
        },
        Abuse("an upstream that closes its sending side, and stays") { scene in
            let first = scene.server
            first.finishSending()
            try scene.accept()
            _ = try first.receiveToEnd()
        },
        Abuse("an upstream that sends byte by byte") { scene in
            try scene.send(scene.nextFrame(), piece: 1)
        },
        Abuse("an upstream that leaves in the middle of a message") { scene in
            for _ in 0..<5 {
                try scene.server.send(Array(scene.nextFrame(size: 1000).dropLast(10)))
                scene.server.close()
                try scene.accept()
            }
        },
        Abuse("an upstream that resets in the middle of a flood") { scene in
            for _ in 0..<5 {
                try scene.flood(messages: 200, isCertain: false)
                try scene.server.send(Array(scene.nextFrame(size: 1000).dropLast(10)))
                scene.server.reset()
                try scene.accept()
            }
        },
        Abuse("an upstream that sends a message without an end") { scene in
            let garbage = [UInt8](repeating: 0x61, count: 20_000)
            try scene.server.send(garbage)
            _ = try scene.server.receiveToEnd()
            try scene.accept()
        },
        Abuse("an upstream that sends random bytes", wire: .length) { scene in
            var random = Seeded(4)
            for _ in 0..<5 {
                try scene.server.send(
                    [0xFF] + (0..<1000).map { _ in UInt8.random(in: 0...255, using: &random) })
                _ = try scene.server.receiveToEnd()
                try scene.accept()
            }
        },
        Abuse("an upstream that sends urgent data") { scene in
            for _ in 0..<5 {
                _ = Glibc.send(scene.server.raw, "!", 1, Int32(MSG_OOB) | Int32(MSG_NOSIGNAL))
            }
            scene.server.close()
            try scene.accept()
        },
        Abuse("an upstream that refuses, and comes back") { scene in
            scene.upstream.stopListening()
            scene.server.close()
            try scene.daemon.awaitLine("Connection refused")
            try scene.upstream.listen()
            try scene.accept()
        },
        Abuse("an upstream that does not answer, and comes back") { scene in
            let filler = try scene.upstream.fillBacklog()
            scene.server.reset()
            try eventually("an attempt") { scene.upstream.isBeingConnected }
            try scene.upstream.accept().close()
            try scene.accept()
            filler.close()
        },
        // Much longer than the scene itself is ever silent.
        Abuse("an upstream that accepts, is silent, and is found idle", upstream: "idle-timeout: 2s") {
            scene in
            _ = try scene.server.receiveToEnd()
            try scene.accept()
            try scene.send()
        },
        Abuse("an upstream that closes its receiving side") { scene in
            shutdown(scene.server.raw, Int32(SHUT_RD))
            try scene.flood(messages: 20)
            scene.server.close()
            try scene.accept()
        },
    ]

    /// What the length before a message says.
    static let byLengths = ([0, 1, 16_384, 16_385, 1 << 31, 1 << 63, .max] as [UInt64]).map { length in
        Abuse("an upstream that announces \(length) bytes", wire: .longLength) { scene in
            let header = (0..<8).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }
            guard length > 16_384 else {
                return try scene.send(header + [UInt8](repeating: 0x61, count: Int(length)))
            }
            try scene.server.send(header)
            _ = try scene.server.receiveToEnd()
            try scene.accept()
        }
    }
}
