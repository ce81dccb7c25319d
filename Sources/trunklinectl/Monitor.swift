import Glibc
import Linux

/// `trunklinectl monitor`: what happens, as it happens.
enum Monitor {
    static let verb = Verb(
        "monitor", in: .looking, [.bridge(.any)], summary: "print what happens, as it happens",
        details: [
            """
            Without a BRIDGE, all that run now. It goes on until it is interrupted, or nobody reads it any more. That \
            a bridge has ended is told on standard error; once it runs again, it is monitored again.
            """,
            """
            With --json, one object a line: what the method Monitor of org.trunkline.Bridge returns, and "bridge".
            """,
        ], options: [.json, .runtimeDirectory], run: run)

    private static func run(_ invocation: Invocation) throws -> Int32 {
        let directory = invocation.runtimeDirectory
        let isNamed = !invocation.operands.isEmpty
        let names = isNamed ? invocation.operands : try Bridges.running(in: directory)
        var feeds = try names.compactMap { name throws(Failure) -> EventFeed? in
            do throws(Failure) {
                return try EventFeed(of: name, in: directory)
            } catch {
                if isNamed || error.status != .notRunning { throw error }
                return nil
            }
        }
        guard !feeds.isEmpty else { throw Failure("no bridge is running", .notRunning) }
        Program.endWhenInterrupted()
        let width = feeds.count < 2 ? 0 : feeds.map { printable($0.bridge).count }.max() ?? 0
        let text = EventText(
            palette: .ofOutput, clock: .local, isJSON: invocation.has(.json), width: width)
        var nextLook = ContinuousClock.now
        while true {
            for index in try wait(for: feeds, until: nextLook) {
                let bridge = feeds[index].bridge
                try feeds[index].receive { Program.say(text.line($0, of: bridge)) }
            }
            guard nextLook <= .now else { continue }
            nextLook = .now + .seconds(1)
            for index in feeds.indices { feeds[index].look() }
        }
    }

    /// Waits for events, and for the time to look for bridges that are away.
    ///
    /// - Returns: Which feeds have something to be received.
    private static func wait(
        for feeds: [EventFeed], until nextLook: ContinuousClock.Instant
    ) throws(Failure) -> [Int] {
        // A pipe reports an error when its reader has gone, though nothing is to be written.
        let requests = [Poll.Request(STDOUT_FILENO, [])] + feeds.map(\.request)
        let isComplete = feeds.allSatisfy(\.isConnected)
        do throws(SystemError) {
            let ready = try Poll.wait(for: requests, atMost: isComplete ? nil : max(.zero, nextLook - .now))
            if !ready[0].isEmpty { exit(EXIT_SUCCESS) }
            return feeds.indices.filter { !ready[$0 + 1].isEmpty }
        } catch {
            throw Failure("cannot wait for events: \(error)")
        }
    }
}
