import TestSupport
import Uplink

/// What can be wrong with the way to a server, and with the server.
enum Fault: CaseIterable {
    case nameUnknown
    case resolverFails
    case resolverBlackHoled
    case refused
    case addressBlackHoled
    case ipv6BlackHoled
    case acceptsThenResets
    case acceptsThenSilence
    case acceptsThenCloses
    case greetsThenCloses
    case handshakeStalls
    case wrongCertificate
    case expiredCertificate
    case loginRefused
    case sessionStillHeld
    case cutInMessage
    case halfClosed
    case writeBlackHoled
    case zeroWindow

    /// Why there is no connection; `nil` when the fault does not keep one from standing.
    var reason: Uplink.Reason? {
        switch self {
        case .nameUnknown: .unresolved("no such name", isLasting: true)
        case .resolverFails: .unresolved("try again", isLasting: false)
        case .resolverBlackHoled: .resolutionTimedOut
        case .refused: .system(call: "connect", errno: 111)
        case .addressBlackHoled: .connectTimedOut
        case .ipv6BlackHoled: nil
        case .acceptsThenResets: .system(call: "recv", errno: 104)
        case .acceptsThenSilence: .greeting(step: 0, .timedOut, said: "")
        case .acceptsThenCloses: .greeting(step: 0, .ended, said: "")
        case .greetsThenCloses, .cutInMessage, .halfClosed: .ended
        case .handshakeStalls: .handshakeTimedOut
        case .wrongCertificate: .tls("it is for another name", isLasting: true)
        case .expiredCertificate: .tls("it has expired", isLasting: true)
        case .loginRefused: .greeting(step: 1, .unexpected("ok"), said: "go away")
        case .sessionStillHeld: .greeting(step: 1, .ended, said: "already logged in")
        case .writeBlackHoled, .zeroWindow: .stuck
        }
    }

    /// How long a connection stands that was ready, before it is lost.
    var lifetime: Duration? {
        switch self {
        case .greetsThenCloses: .seconds(3)
        case .halfClosed: .seconds(5)
        case .cutInMessage: .seconds(10)
        case .writeBlackHoled, .zeroWindow: .seconds(120)
        default: nil
        }
    }
}

/// An uplink on a clock of its own, and a server that is faulty for so many attempts and then well.
struct World {
    enum Event {
        case resolved(candidates: Int)
        case opened
        case secured
        case greeted(count: Int)
        case failed(Uplink.Reason)
    }

    var uplink: Uplink
    let fault: Fault
    /// The attempts with which it happens.
    let faults: Int
    private(set) var now: ContinuousClock.Instant
    /// What will happen to which step, also when nobody waits for it any more.
    private(set) var coming: [(at: ContinuousClock.Instant, step: UInt64, event: Event)] = []
    private(set) var timer: ContinuousClock.Instant?
    private(set) var attempts: [ContinuousClock.Instant] = []
    private(set) var waits: [(reason: Uplink.Reason, delay: Duration)] = []
    private(set) var live: Set<UInt64> = []
    /// Connections on which the dialogue was begun, and how often.
    private(set) var dialogues: [UInt64: Int] = [:]
    private var outage: Range<ContinuousClock.Instant>?
    private var random: Seeded

    init(
        _ fault: Fault, faults: Int, seed: UInt64 = 0, settings: Uplink.Settings = Self.settings,
        start: ContinuousClock.Instant = .now
    ) {
        self.fault = fault
        self.faults = faults
        now = start
        random = Seeded(seed)
        uplink = Uplink(settings)
    }

    static let settings = Uplink.Settings(
        endpoints: [.host("server", port: 1)], connectTimeout: .seconds(10),
        reconnect: Backoff.Settings(min: .milliseconds(250), max: .seconds(30), lasting: .seconds(300)),
        isSecured: true, greeting: [.seconds(5), .seconds(5)])

    var isFaulty: Bool { attempts.count <= faults }

    mutating func start() { carryOut(uplink.started(now: now)) }

    /// When something happens next.
    var next: ContinuousClock.Instant? { (coming.map(\.at) + [timer].compactMap(\.self)).min() }

    /// Goes on to what happens next.
    ///
    /// - Returns: Whether there was anything.
    mutating func step() -> Bool {
        guard let next else { return false }
        now = max(now, next)
        if let index = coming.indices.filter({ coming[$0].at <= now }).min(by: {
            coming[$0].at < coming[$1].at
        }) {
            let (_, step, event) = coming.remove(at: index)
            carryOut(apply(event, to: step))
        } else {
            timer = nil
            carryOut(uplink.timerFired(now: now, jitter: Double.random(in: 0...1, using: &random)))
        }
        return true
    }

    /// - Returns: What the uplink wants done.
    mutating func apply(_ event: Event, to step: UInt64) -> [Uplink.Effect] {
        switch event {
        case .resolved(let candidates):
            // A look-up that is over holds nothing.
            live.remove(step)
            return uplink.resolved(step: step, candidates: candidates, now: now)
        case .opened: return uplink.opened(step: step, now: now)
        case .secured: return uplink.secured(step: step, now: now)
        case .greeted(let count): return uplink.greeted(step: step, count: count, now: now)
        case .failed(let reason):
            return uplink.failed(
                step: step, reason, now: now, jitter: Double.random(in: 0...1, using: &random))
        }
    }

    mutating func networkChanged() { carryOut(uplink.networkChanged(now: now)) }

    /// The server goes away, with the connection that stands, and refuses others for so long.
    mutating func loseServer(at loss: ContinuousClock.Instant, for duration: Duration) {
        outage = loss..<loss + duration
        for step in live { coming.append((loss, step, .failed(.ended))) }
    }

    private mutating func carryOut(_ effects: [Uplink.Effect]) {
        for effect in effects { carryOut(effect) }
    }

    private mutating func carryOut(_ effect: Uplink.Effect) {
        switch effect {
        case .resolve(let step, _):
            attempts.append(now)
            live = [step]
            resolve(step)
        case .connect(let step, _, let candidate):
            live.insert(step)
            connect(step, candidate)
        case .secure(let step): secure(step)
        case .greet(let step):
            dialogues[step, default: 0] += 1
            greet(step)
        case .close(let step, _): live.remove(step)
        case .goOn: break
        case .abandon: live = []
        case .armTimer(let at): timer = at
        case .disarmTimer: timer = nil
        case .announce(.ready):
            if isFaulty, let lifetime = fault.lifetime, let reason = fault.reason, let step = live.first {
                happen(.failed(reason), to: step, after: lifetime)
            }
        case .announce(.waiting(let failure, let until)): waits.append((failure.reason, until - now))
        case .announce: break
        }
    }

    private mutating func happen(_ event: Event, to step: UInt64, after delay: Duration) {
        coming.append((now + delay, step, event))
    }

    private mutating func fail(_ step: UInt64) {
        if let reason = fault.reason { happen(.failed(reason), to: step, after: .milliseconds(5)) }
    }

    private mutating func resolve(_ step: UInt64) {
        switch fault {
        case .nameUnknown where isFaulty, .resolverFails where isFaulty: fail(step)
        case .resolverBlackHoled where isFaulty: break
        default:
            happen(
                .resolved(candidates: fault == .ipv6BlackHoled ? 2 : 1), to: step, after: .milliseconds(1))
        }
    }

    private mutating func connect(_ step: UInt64, _ candidate: Int) {
        if let outage, outage.contains(now) { return fail(step) }
        switch fault {
        case .refused where isFaulty: fail(step)
        case .addressBlackHoled where isFaulty, .ipv6BlackHoled where isFaulty && candidate == 0: break
        default: happen(.opened, to: step, after: .milliseconds(20))
        }
    }

    private mutating func secure(_ step: UInt64) {
        switch fault {
        case .acceptsThenResets where isFaulty, .wrongCertificate where isFaulty,
            .expiredCertificate where isFaulty:
            fail(step)
        case .handshakeStalls where isFaulty: break
        default: happen(.secured, to: step, after: .milliseconds(30))
        }
    }

    private mutating func greet(_ step: UInt64) {
        switch fault {
        case .acceptsThenCloses where isFaulty: fail(step)
        case .acceptsThenSilence where isFaulty: break
        case .loginRefused where isFaulty, .sessionStillHeld where isFaulty:
            happen(.greeted(count: 1), to: step, after: .milliseconds(1))
            fail(step)
        default:
            happen(.greeted(count: 1), to: step, after: .milliseconds(10))
            happen(.greeted(count: 2), to: step, after: .milliseconds(20))
        }
    }
}
