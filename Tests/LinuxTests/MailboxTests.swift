import Glibc
import Testing

@testable import Linux

struct MailboxTests {
    let loop: EventLoop

    init() throws { loop = try EventLoop() }

    @Test func `a message from another thread wakes the loop`() throws {
        let mailbox = try Mailbox<Int>()
        let ear = Ear()
        var messages: [Int] = []
        ear.then = { messages += mailbox.takeAll() }
        _ = try loop.add(mailbox, handler: ear)
        let (asleep, awake) = (try Mailbox<Bool>(), try Pair())
        // The other thread posts when it is told that the loop is about to wait, and no sooner.
        let raw = dup(awake.near.raw)
        try onThread {
            let descriptor = FileDescriptor(owning: raw)
            var bytes: [UInt8] = [0]
            var span = bytes.mutableSpan
            _ = try? descriptor.read(into: &span)
            mailbox.post(42)
            asleep.post(true)
        }
        try awake.sendFromFar([1])
        try loop.turn { !messages.isEmpty }
        #expect(messages == [42])
        #expect(ear.heard == [.readable])
        // Once taken, there is nothing that wakes it again.
        try loop.turnAtOnce(3)
        #expect(ear.heard.count == 1)
    }

    @Test func `of many threads, each one's messages come whole and in order`() throws {
        let mailbox = try Mailbox<(thread: Int, number: Int)>()
        let ear = Ear()
        var numbers: [[Int]] = [[], [], [], []]
        ear.then = { for message in mailbox.takeAll() { numbers[message.thread].append(message.number) } }
        _ = try loop.add(mailbox, handler: ear)
        for thread in 0..<4 { try onThread { for number in 0..<1000 { mailbox.post((thread, number)) } } }
        try loop.turn { numbers.allSatisfy { $0.count == 1000 } }
        for thread in 0..<4 { #expect(numbers[thread] == Array(0..<1000)) }
        #expect(mailbox.takeAll().isEmpty)
    }

    @Test func `what was posted before the loop listened is not lost`() throws {
        let mailbox = try Mailbox<String>()
        mailbox.post("a")
        mailbox.post("b")
        let ear = Ear()
        _ = try loop.add(mailbox, handler: ear)
        try loop.turnAtOnce()
        #expect(ear.heard == [.readable])
        #expect(mailbox.takeAll() == ["a", "b"])
    }
}
