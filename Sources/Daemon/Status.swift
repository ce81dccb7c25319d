import Bridge
import Linux
import Systemd
import Uplink

/// How things stand, for everybody who asks; and keeps `STATUS=` true: a change of the uplink is told at once, everything
/// else at most once a second, and nothing twice. While bytes flow it looks at the rates once a second; a bridge in which
/// nothing flows does not wake for it.
final class Status: TimerHandler {
    private static let interval = Duration.seconds(1)
    /// The rates that are told are those of so long a time.
    private static let span = Duration.seconds(10)

    private let notifier: Notifier?
    private let loop: EventLoop
    private let bridge: Bridge
    private(set) var uplink: UplinkStory
    private(set) var rates: Rates
    private var told = ""
    private var isFlowing = false
    private var due: ContinuousClock.Instant
    private var timer: TimerID?
    /// Whether the timer ends an interval of the rates; otherwise only the clients are to be told.
    private var isSampling = false

    /// - Parameters:
    ///   - bridge: Of which it tells.
    ///   - notifier: Takes `STATUS=`; `nil` without a service manager.
    ///   - loop: Its timers.
    init(of bridge: Bridge, notifier: Notifier?, loop: EventLoop) {
        self.bridge = bridge
        self.notifier = notifier
        self.loop = loop
        uplink = UplinkStory()
        rates = Rates(now: loop.now)
        due = loop.now
        bridge.reportNextFlow()
    }

    /// One line, as of now: what the service manager is told.
    var text: String {
        let now = loop.now
        let text = "\(uplink.text(now: now)), \(counted(bridge.clientCount, "client"))"
        guard case .ready = uplink.state else { return text }
        let received = rates.received(over: Self.span, bridge.totals, now: now)
        let sent = rates.sent(over: Self.span, bridge.totals, now: now)
        return "\(text), \(received.text) in, \(sent.text) out"
    }

    func addressFailed(_ address: String, _ reason: Uplink.Reason) { uplink.failed(address, reason) }

    func uplinkChanged(_ state: UplinkState) {
        uplink.changed(to: state)
        tell()
    }

    func clientsChanged() {
        guard notifier != nil else { return }
        if loop.now >= due {
            tell()
        } else if timer == nil {
            timer = loop.arm(at: due, handler: self)
            isSampling = false
        }
    }

    /// Bytes move again: the rates are known a second later, or up to two if something else is to be told before.
    func flowing() {
        isFlowing = true
        rates.begin(now: loop.now)
        guard timer == nil else { return }
        timer = loop.arm(at: loop.now + Self.interval, handler: self)
        isSampling = true
    }

    func timerFired(_ timer: TimerID) {
        self.timer = nil
        if isFlowing && isSampling {
            let (now, totals) = (loop.now, bridge.totals)
            rates.add(totals, now: now)
            let (received, sent) = (
                rates.received(over: Self.span, totals, now: now),
                rates.sent(over: Self.span, totals, now: now)
            )
            isFlowing = received != Rates.Rate() || sent != Rates.Rate()
            if !isFlowing { bridge.reportNextFlow() }
        }
        tell()
    }

    private func tell() {
        due = loop.now + Self.interval
        if let timer { loop.disarm(timer) }
        timer = isFlowing ? loop.arm(at: due, handler: self) : nil
        isSampling = isFlowing
        guard let notifier else { return }
        let line = text
        guard line != told else { return }
        told = line
        notifier.status(line)
    }
}
