import Control
import Glibc

/// What `trunklinectl top` knows, and what its keys change.
struct TopModel {
    typealias Instant = ContinuousClock.Instant

    /// How things stand between a bridge and us.
    enum Contact: Equatable {
        /// It answered what it was asked last.
        case answered
        /// It was asked and has not answered yet.
        case asked(since: Instant)
        case notRunning
        /// Why it cannot be asked.
        case failed(String)

        fileprivate var status: Int32 {
            switch self {
            case .answered: EXIT_SUCCESS
            case .notRunning: ExitStatus.notRunning.rawValue
            case .asked, .failed: ExitStatus.failure.rawValue
            }
        }
    }

    struct Bridge {
        let name: String
        fileprivate(set) var contact: Contact
        /// Its last answer; `nil` when there was none since it was last found running.
        fileprivate(set) var description: Description?
        /// Bytes each second from the upstream, the newest last; `nil` where they are not known.
        fileprivate(set) var history: [Double?] = []

        fileprivate mutating func remember(_ rate: Double?) {
            history.append(rate)
            if history.count > TopModel.longestHistory { history.removeFirst() }
        }
    }

    enum Mode: Equatable {
        case usual
        case help
        /// Asks whether the bridge of this name is to reconnect.
        case confirming(String)
    }

    /// What a key asks for.
    enum Effect: Equatable {
        case quit
        case reconnect(String)
    }

    fileprivate static let longestHistory = 200

    /// In the order of their names.
    private(set) var bridges: [Bridge] = []
    private(set) var order = ClientOrder.lag
    private(set) var isPaused = false
    private(set) var mode = Mode.usual
    /// What the user should know, until the next key.
    private(set) var notice: String?
    private var choice: String?

    // MARK: Bridges

    /// Those that there are by now.
    mutating func show(_ names: some Sequence<String>, now: Instant) {
        let known = Dictionary(bridges.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        bridges = Set(names).sorted().map { known[$0] ?? Bridge(name: $0, contact: .asked(since: now)) }
    }

    mutating func asked(_ name: String, at now: Instant) {
        change(name) { bridge in
            if case .asked = bridge.contact { return bridge.remember(nil) }
            bridge.contact = .asked(since: now)
        }
    }

    mutating func answered(_ name: String, _ description: Description) {
        change(name) { bridge in
            bridge.contact = .answered
            bridge.description = description
            bridge.remember(description.bridge.receiveRates.second.bytes)
        }
    }

    /// There will be no answer.
    mutating func lost(_ name: String, _ contact: Contact) {
        change(name) { bridge in
            bridge.contact = contact
            bridge.description = nil
            bridge.remember(nil)
        }
    }

    private mutating func change(_ name: String, _ body: (inout Bridge) -> Void) {
        guard let index = bridges.firstIndex(where: { $0.name == name }) else { return }
        body(&bridges[index])
    }

    /// The bridge that is chosen; the only one is without being chosen.
    var selected: String? {
        if bridges.count == 1 { return bridges[0].name }
        return bridges.contains { $0.name == choice } ? choice : nil
    }

    /// Those of the selected bridge, or of all, the worst first. A bridge that does not answer has none that could be told.
    func clients(now: Instant) -> [(bridge: String, client: ClientDescription)] {
        let shown = bridges.filter { selected == nil || $0.name == selected }
        let all = shown.flatMap { bridge in
            bridge.silence(now: now) == nil
                ? (bridge.description?.clients ?? []).map { (bridge: bridge.name, client: $0) } : []
        }
        return all.sorted { a, b in
            order.precedes(a.client, b.client) ?? ((a.bridge, a.client.number) < (b.bridge, b.client.number))
        }
    }

    /// What `status` would end with.
    var status: Int32 {
        bridges.isEmpty
            ? ExitStatus.notRunning.rawValue
            : bridges.reduce(EXIT_SUCCESS) { max($0, $1.contact.status) }
    }

    mutating func tell(_ notice: String) { self.notice = notice }

    // MARK: Keys

    mutating func pressed(_ key: Key) -> Effect? {
        notice = nil
        switch mode {
        case .help:
            mode = .usual
            return key == .character("q") ? .quit : nil
        case .confirming(let name):
            mode = .usual
            return key == .character("y") ? .reconnect(name) : nil
        case .usual: return usual(key)
        }
    }

    private mutating func usual(_ key: Key) -> Effect? {
        switch key {
        case .character("q"): return .quit
        case .character("h"), .character("?"): mode = .help
        case .character("s"): order = order.next
        case .character("p"): isPaused.toggle()
        case .character("r"):
            if let name = selected {
                mode = .confirming(name)
            } else {
                notice = "select a bridge first, with the arrow keys or j and k"
            }
        case .up, .character("k"): select { $0 - 1 }
        case .down, .character("j"): select { $0 + 1 }
        case .escape: choice = nil
        case .character: break
        }
        return nil
    }

    private mutating func select(_ move: (Int) -> Int) {
        guard !bridges.isEmpty else { return }
        let current = bridges.firstIndex { $0.name == selected }
        let next = current.map(move) ?? 0
        choice = bridges[min(max(next, 0), bridges.count - 1)].name
    }
}

extension TopModel.Bridge {
    /// A bridge that is at work answers much sooner.
    private static let patience = Duration.seconds(2)

    /// For how long it has not answered, if that is worth telling.
    func silence(now: TopModel.Instant) -> Duration? {
        guard case .asked(let since) = contact, now - since >= Self.patience else { return nil }
        return now - since
    }
}

/// Which clients come first.
enum ClientOrder: CaseIterable {
    case lag, missed, received, newest

    /// As a title tells it.
    var words: String {
        switch self {
        case .lag: "most lag first"
        case .missed: "most missed first"
        case .received: "most received first"
        case .newest: "newest first"
        }
    }

    var next: ClientOrder {
        let all = Self.allCases
        return all[((all.firstIndex(of: self) ?? 0) + 1) % all.count]
    }

    /// `nil` when this order does not tell.
    fileprivate func precedes(_ a: ClientDescription, _ b: ClientDescription) -> Bool? {
        let (first, second) = (value(a), value(b))
        return first == second ? nil : first > second
    }

    private func value(_ client: ClientDescription) -> (Int, Int) {
        switch self {
        case .lag: (client.lag.bytes, client.lag.messages)
        case .missed: (client.missed.bytes, client.missed.messages)
        case .received: (client.received.bytes, client.received.messages)
        case .newest: (client.since, client.number)
        }
    }
}
