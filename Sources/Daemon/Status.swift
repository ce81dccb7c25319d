import Bridge
import Linux
import Systemd

/// Keeps `STATUS=` true: a change of the uplink is told at once, everything else at most once a second, and nothing
/// twice. While bytes flow it looks at the rates once a second; a bridge in which nothing flows does not wake for it.
final class Status: TimerHandler {
    private static let interval = Duration.seconds(1)

    private let notifier: Notifier
    private let loop: EventLoop
    private let bridge: Bridge
    private var text = StatusText()
    private var told = ""
    private var rates: Rates
    private var isFlowing = false
    private var due: ContinuousClock.Instant
    private var timer: TimerID?
    /// Whether the timer ends an interval of the rates; otherwise only the clients are to be told.
    private var isSampling = false

    init(of bridge: Bridge, notifier: Notifier, loop: EventLoop) {
        self.bridge = bridge
        self.notifier = notifier
        self.loop = loop
        rates = Rates(now: loop.now)
        due = loop.now
        bridge.reportNextFlow()
    }

    func uplinkChanged(_ state: UplinkState) {
        text.show(state)
        tell()
    }

    func clientsChanged() {
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
            rates.add(bridge.totals, now: loop.now)
            isFlowing = !rates.isZero
            if !isFlowing { bridge.reportNextFlow() }
        }
        tell()
    }

    private func tell() {
        let now = loop.now
        due = now + Self.interval
        if let timer { loop.disarm(timer) }
        timer = isFlowing ? loop.arm(at: due, handler: self) : nil
        isSampling = isFlowing
        let line = text.text(clients: bridge.clientCount, rates: rates, now: now)
        guard line != told else { return }
        told = line
        notifier.status(line)
    }
}
