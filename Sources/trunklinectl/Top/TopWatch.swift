import Configuration
import Control
import Linux

/// Asks bridges, and keeps what they answer.
final class TopWatch {
    private(set) var model = TopModel()
    let delay: Duration
    private let glyphs: Glyphs
    private let names: [String]?
    private let directory: String
    /// In the model's order.
    private var feeds: [BridgeFeed] = []

    /// - Parameters:
    ///   - names: The bridges; `nil` is those that run.
    ///   - directory: Where their control sockets are.
    ///   - delay: From one look to the next.
    ///   - glyphs: What the terminal can show.
    init(names: [String]?, directory: String, delay: Duration, glyphs: Glyphs) {
        self.names = names
        self.directory = directory
        self.delay = delay
        self.glyphs = glyphs
    }

    func screen(now: TopModel.Instant) -> TopScreen {
        let clock = WallClock.local
        return TopScreen(
            model: model, now: now, time: clock.timeOfDay(clock.now), delay: delay, glyphs: glyphs)
    }

    /// Looks who is there, and asks each.
    func ask(now: TopModel.Instant) throws(Failure) {
        let present = if let names { names } else { try Bridges.running(in: directory) }
        model.show(present, now: now)
        let known = Dictionary(feeds.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        feeds = model.bridges.map { bridge in
            known[bridge.name]
                ?? BridgeFeed(
                    name: bridge.name, path: Configuration.controlPath(of: bridge.name, in: directory))
        }
        for feed in feeds {
            model.asked(feed.name, at: now)
            take(feed.describe(), from: feed)
        }
    }

    /// Whether some bridge was asked and has not answered.
    var isExpecting: Bool {
        model.bridges.contains { if case .asked = $0.contact { true } else { false } }
    }

    var requests: [Poll.Request] { feeds.map(\.request) }

    /// - Parameter ready: What `requests` were waited for.
    func advance(_ ready: some Sequence<Readiness>) {
        for (feed, readiness) in zip(feeds, ready) where !readiness.isEmpty {
            take(feed.advance(), from: feed)
        }
    }

    /// - Returns: Whether to go on.
    func pressed(_ key: Key) -> Bool {
        switch model.pressed(key) {
        case nil: break
        case .quit: return false
        case .reconnect(let name):
            if let feed = feeds.first(where: { $0.name == name }) { take(feed.reconnect(), from: feed) }
        }
        return true
    }

    private func take(_ reports: [BridgeFeed.Report], from feed: BridgeFeed) {
        for report in reports {
            switch report {
            case .described(var description):
                description.completeCommands()
                model.answered(feed.name, description)
            case .reconnecting: model.tell("\(feed.name) reconnects")
            case .refused(let refusal): model.tell(RefusalText.text(refusal, of: .reconnect, to: feed.name))
            case .lost(let contact): model.lost(feed.name, contact)
            }
        }
    }
}
