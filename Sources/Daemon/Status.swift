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
    /// When there are rates to be told, after bytes began to move.
    private var sampleDue: ContinuousClock.Instant
    private var due: ContinuousClock.Instant
    private var timer: TimerID?

    init(of bridge: Bridge, notifier: Notifier, loop: EventLoop) {
        self.bridge = bridge
        self.notifier = notifier
        self.loop = loop
        rates = Rates(now: loop.now)
        due = loop.now
        sampleDue = loop.now
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
        }
    }

    /// Bytes move again: the rates are known a second later, or up to two if something else is to be told before.
    func flowing() {
        isFlowing = true
        rates.begin(now: loop.now)
        sampleDue = loop.now + Self.interval
        if timer == nil { timer = loop.arm(at: sampleDue, handler: self) }
    }

    func timerFired(_ timer: TimerID) {
        self.timer = nil
        if isFlowing && loop.now >= sampleDue {
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
        let line = text.text(clients: bridge.clientCount, rates: rates, now: now)
        guard line != told else { return }
        told = line
        notifier.status(line)
    }
}
