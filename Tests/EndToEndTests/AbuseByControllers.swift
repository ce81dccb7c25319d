import Linux
import Testing

extension Abuse {
    private static let describe = Controller.call("org.trunkline.Bridge.Describe") + [0]

    /// What programs do that look at the daemon, or pretend to.
    static let byControllers = [
        Abuse("100 control clients that ask, and never read") { scene in
            for stream in try scene.control(100) {
                // Some have lost their place to newer ones by now.
                for _ in 0..<100 { _ = try? stream.sendSome(describe[...]) }
            }
            try scene.flood()
        },
        Abuse("100 control clients that follow what happens, and never read") { scene in
            for stream in try scene.control(100) {
                _ = try? stream.sendSome(
                    (Controller.call("org.trunkline.Bridge.Monitor", more: true) + [0])[...])
            }
            for _ in 0..<1000 { try Stream.connecting(to: .unix(path: scene.daemon.path())).close() }
            try scene.flood(messages: 300)
        },
        Abuse("a control client that asks without end, and reads") { scene in
            let stream = try scene.control()[0]
            for _ in 0..<300 {
                _ = try stream.sendSome(describe[...])
                _ = stream.receiveNow()
                try scene.flood(messages: 3)
            }
        },
        Abuse("garbage on the control socket") { scene in
            for garbage in [[0xFF], [0], Array("{}\0".utf8), Array("GET / HTTP/1.1\r\n\r\n\0".utf8)]
                as [[UInt8]]
            {
                let stream = try scene.control()[0]
                try stream.send(garbage + [UInt8](repeating: 0, count: 1000))
                #expect(try stream.receiveToEnd() == [])
            }
            try scene.flood(messages: 300)
        },
        Abuse("a million nested brackets on the control socket") { scene in
            for bracket in ["[", #"{"a":"#, #"{"method":["#] {
                let stream = try scene.control()[0]
                // The connection ends as soon as a call is too long.
                try? stream.send(Array(String(repeating: bracket, count: 1_000_000).utf8) + [0])
                #expect(try stream.receiveToEnd() == [])
            }
            let stream = try scene.control()[0]
            try stream.send(Array(#"{"method":"org.varlink.service.GetInfo","parameters":"#.utf8))
            try stream.send([UInt8](repeating: UInt8(ascii: "["), count: 16_000) + [0])
            #expect(try stream.receiveToEnd() == [])
            try scene.flood(messages: 300)
        },
        Abuse("calls on the control socket, byte by byte, that never end") { scene in
            let streams = try scene.control(10)
            for byte in describe.dropLast() { for stream in streams { try stream.send([byte]) } }
            try scene.flood()
        },
        Abuse("thousands of calls of one byte") { scene in
            for stream in try scene.control(16) {
                try? stream.send([UInt8](repeating: 0, count: 16_000).flatMap { [UInt8(ascii: "7"), $0] })
            }
            try scene.flood(messages: 300)
        },
        Abuse("control clients that come and go, 1000 times") { scene in
            for _ in 0..<1000 {
                let stream = try Controller(scene.daemon).stream
                try? stream.send(describe)
                stream.close()
            }
            try scene.flood(messages: 300)
        },
        Abuse("a control client that asks, follows, and goes on asking") { scene in
            let stream = try scene.control()[0]
            try stream.send(Controller.call("org.trunkline.Bridge.Monitor", more: true) + [0])
            _ = try stream.receive(through: [0])
            try? stream.send(describe)
            _ = try stream.receiveToEnd()
            try scene.flood(messages: 300)
        },
        Abuse("a control client that reconnects 100 times") { scene in
            let controller = try Controller(scene.daemon)
            scene.abusers.append(controller.stream)
            for _ in 0..<100 {
                #expect(try controller.error(of: "org.trunkline.Bridge.Reconnect") == nil)
                try scene.accept()
            }
            try scene.flood(messages: 300)
        },
    ]
}
