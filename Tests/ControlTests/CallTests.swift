import Testing

@testable import Control

/// What a control client may ask, and what it may not.
struct CallTests {
    func call(_ text: String) throws -> Call { try Call(Array(text.utf8)) }

    @Test(
        arguments: [
            (#"{"method":"org.varlink.service.GetInfo"}"#, .getInfo),
            (
                #"{"method":"org.varlink.service.GetInterfaceDescription","parameters":{"interface":"a.b"}}"#,
                .getInterfaceDescription("a.b")
            ),
            (#"{"method":"org.trunkline.Bridge.Describe","parameters":{}}"#, .describe),
            (#"{"method":"org.trunkline.Bridge.Monitor"}"#, .monitor),
            (#"{"method":"org.trunkline.Bridge.Reconnect"}"#, .reconnect),
            (
                #"{"method":"org.trunkline.Bridge.Disconnect","parameters":{"client":7}}"#,
                .disconnect(client: 7)
            ),
            (
                #"{"method":"org.trunkline.Bridge.Disconnect","parameters":{"level":"x","client":7,"y":{}}}"#,
                .disconnect(client: 7)
            ),
            (
                #" { "parameters" : { "level" : "d\u0065bug" } , "method":"org.trunkline.Bridge.SetLogLevel"} "#,
                .setLogLevel("debug")
            ),
        ] as [(String, Request)])
    func `each method is understood`(text: String, request: Request) throws {
        #expect(try call(text) == Call(request, takesMore: false, isOneWay: false))
    }

    @Test(
        arguments: [
            .getInfo, .getInterfaceDescription("a.\"b\""), .describe, .monitor, .reconnect,
            .disconnect(client: 7), .setLogLevel("debug"),
        ] as [Request])
    func `what a client sends is what it asks for`(request: Request) throws {
        for call in [
            Call(request, takesMore: false, isOneWay: false), Call(request, takesMore: true, isOneWay: true),
        ] {
            let message = call.message
            #expect(message.last == 0)
            #expect(try Call(message.dropLast()) == call)
        }
    }

    @Test func `more and oneway are understood`() throws {
        let text = #"{"method":"org.trunkline.Bridge.Monitor","more":true,"oneway":true,"upgrade":false}"#
        #expect(try call(text) == Call(.monitor, takesMore: true, isOneWay: true))
    }

    @Test(
        arguments: [
            (#"{"method":"Describe"}"#, .interfaceNotFound("")),
            (#"{"method":"org.example.Describe"}"#, .interfaceNotFound("org.example")),
            (#"{"method":"org.trunkline.Bridge.Explode"}"#, .methodNotFound("org.trunkline.Bridge.Explode")),
            (#"{"method":"org.varlink.service.Describe"}"#, .methodNotFound("org.varlink.service.Describe")),
            (#"{"method":"org.trunkline.Bridge."}"#, .methodNotFound("org.trunkline.Bridge.")),
            (#"{"method":"org.trunkline.Bridge.Disconnect"}"#, .invalidParameter("client")),
            (
                #"{"method":"org.trunkline.Bridge.Disconnect","parameters":{"client":"7"}}"#,
                .invalidParameter("client")
            ),
            (
                #"{"method":"org.trunkline.Bridge.Disconnect","parameters":{"client":1e30}}"#,
                .invalidParameter("client")
            ),
            (#"{"method":"org.trunkline.Bridge.SetLogLevel","parameters":[]}"#, .invalidParameter("level")),
        ] as [(String, ControlError)])
    func `what is no method of ours, or lacks its parameter, is answered`(text: String, error: ControlError) {
        #expect(throws: error) { try call(text).request.get() }
    }

    @Test(arguments: [
        "", " ", "null", "[]", "7", #""org.trunkline.Bridge.Describe""#, "{}", #"{"method":7}"#,
        #"{"method""#,
        #"{"method":"a.B","more":"yes"}"#, "{'method':'a.B'}", #"{"method":"a.B"} x"#, "\u{FEFF}",
    ])
    func `what is no call at all is malformed`(text: String) {
        #expect(throws: ControlError.malformed) { try call(text) }
    }

    @Test func `bytes that are no UTF-8 are malformed`() {
        let bytes = Array(#"{"method":""#.utf8) + [0xFF, 0xC0] + Array(#""}"#.utf8)
        #expect(throws: ControlError.malformed) { try Call(bytes) }
    }

    @Test(arguments: ["[", "{\"a\":", "[[{\"a\":"])
    func `a million nested brackets are malformed`(piece: String) {
        #expect(throws: ControlError.malformed) { try call(String(repeating: piece, count: 1_000_000)) }
    }
}
