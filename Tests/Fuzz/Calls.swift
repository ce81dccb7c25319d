/// What libFuzzer calls: whatever a control client sends is divided into messages, and each is understood or refused.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var rest = UnsafeBufferPointer(start: start, count: count)[...]
    guard let piece = rest.popFirst() else { return 0 }
    // As the daemon has them: the first byte chooses how the stream is cut.
    var buffer = MessageBuffer(limit: 16 << 10)
    while !rest.isEmpty {
        let part = rest.prefix(Int(piece) + 1)
        rest = rest.dropFirst(part.count)
        buffer.append(part)
        do {
            while let message = try buffer.next() { check(message) }
        } catch {
            return 0
        }
    }
    return 0
}

private func check(_ message: [UInt8]) {
    precondition(message.count <= 16 << 10 && !message.contains(0), "a message that is none")
    guard let call = try? Call(message) else { return }
    switch call.request {
    case .success(.getInterfaceDescription(let name)):
        // A call that was understood has a reply of its own kind, and one that can be read.
        guard let text = Interface.definition(of: name) else { return }
        let answer = try? Answer<[String: String]>(Reply.success(["description": text]).dropLast())
        precondition(answer?.parameters["description"] == text, "a reply that cannot be read")
    case .success: return
    case .failure(let error):
        let reply = Reply.failure(error)
        precondition(reply.last == 0 && !reply.dropLast().contains(0), "a reply of several messages")
        do {
            _ = try Answer<[String: String]>(reply.dropLast())
            preconditionFailure("an error that is read as a success")
        } catch {
            precondition(error.error.hasPrefix("org."), "an error that cannot be read")
        }
    }
}
