import Control
import Glibc
import Linux

/// `trunklinectl top`: a live screen.
enum Top {
    static let verb = Verb(
        "top", in: .looking, [.bridge(.any)], summary: "show bridges and their slowest clients, live",
        details: [
            """
            Shows the bridges that are named, or all that are running, and the clients that are most behind. \
            'h' tells the keys: q quits, the arrows select a bridge, s sorts the clients in another way, p \
            pauses, r reconnects the selected bridge. A bridge that has stopped answering is shown as such.
            """
        ],
        options: [delay, once, .runtimeDirectory], run: run)

    private static let delay = CommandOption(
        "delay", short: "d", value: "SECONDS", help: "look again after so long, 0.1 to 3600 (1)")
    private static let once = CommandOption(
        "once", short: "1", help: "print what the screen would show, and end")

    private static func run(_ invocation: Invocation) throws -> Int32 {
        let text = invocation[delay] ?? "1"
        guard let seconds = Double(text), 0.1...3600 ~= seconds else {
            throw UsageError("'\(text)' is no number of seconds from 0.1 to 3600")
        }
        let names = invocation.operands
        let watch = TopWatch(
            names: names.isEmpty ? nil : names, directory: invocation.runtimeDirectory,
            delay: .milliseconds(Int(seconds * 1000)), glyphs: Glyphs(environment: Program.environment))
        return try invocation.has(once) ? print(watch) : show(watch)
    }

    /// How long `--once` waits: a bridge that has not answered by then is shown as one that does not.
    private static let limit = Duration.seconds(2)

    private static func print(_ watch: TopWatch) throws -> Int32 {
        let start = ContinuousClock.now
        try watch.ask(now: start)
        while watch.isExpecting, ContinuousClock.now - start < limit {
            let left = limit - (ContinuousClock.now - start)
            watch.advance(try Poll.wait(for: watch.requests, atMost: left)[...])
        }
        let page = watch.screen(now: .now).page(columns: Terminal.size?.columns ?? 80)
        Program.say(page.map { trimmed($0.text) + "\n" }.joined())
        return watch.model.status
    }

    private static func trimmed(_ text: String) -> String {
        String(text.reversed().drop { $0 == " " }.reversed())
    }

    private static func show(_ watch: TopWatch) throws -> Int32 {
        guard Program.environment("TERM") != "dumb", let terminal = try? Terminal() else {
            throw Failure("top needs a terminal that can do more than print; 'top --once' does not")
        }
        let signals = try Signals([
            SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH,
        ])
        var screen = LiveScreen(terminal, hasColors: Program.environment("NO_COLOR") == nil)
        try screen.show()
        var next = ContinuousClock.now
        while true {
            let now = ContinuousClock.now
            if now >= next {
                if !watch.model.isPaused { try watch.ask(now: now) }
                next = max(next + watch.delay, now)
            }
            let room = screen.room
            try screen.draw(watch.screen(now: now).lines(rows: room.rows, columns: room.columns))
            let own = [
                Poll.Request(signals.descriptor.raw, .readable), screen.input, screen.request,
            ]
            let ready = try Poll.wait(for: own + watch.requests, atMost: next - .now)
            while let signal = signals.next() {
                guard try goesOn(after: signal, &screen) else { return EXIT_SUCCESS }
            }
            if !ready[1].isEmpty {
                guard let keys = try screen.keys() else { throw Failure("the terminal has gone") }
                for key in keys {
                    guard watch.pressed(key) else { return EXIT_SUCCESS }
                }
            }
            watch.advance(ready[own.count...])
        }
    }

    private static func goesOn(after signal: Int32, _ screen: inout LiveScreen) throws(SystemError) -> Bool {
        switch signal {
        case SIGWINCH: break
        case SIGCONT: try screen.show()
        case SIGTSTP:
            screen.hide()
            // As the signal would, if it were not read here.
            raise(SIGSTOP)
            try screen.show()
        default: return false
        }
        return true
    }
}
