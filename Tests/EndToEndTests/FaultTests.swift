import Glibc
import Linux
import TestSupport
import Testing

/// Each system call of the daemon fails, one after the other, in each way that its man page knows.
@Suite(.waits, .timeLimit(.minutes(minutesToHang)))
struct FaultTests {
    /// Some calls are made again and again: so many of them fail in turn.
    private static let most = 12

    private static func configuration(_ upstream: FakeUpstream) -> String {
        // Naming the group that it would have anyway makes the daemon call chown(2).
        let group = getgrgid(getegid()).map { String(cString: $0.pointee.gr_name) } ?? "root"
        return """
            upstream:
              address: \(upstream.address)
              reconnect: {min: 10ms, max: 10ms}
            sockets: {default: {group: \(group)}}
            """
    }

    /// What follows from a call that fails.
    enum Outcome {
        /// Nothing failed: there are fewer such calls.
        case notMet
        case ended
        case wentOn
    }

    /// A daemon of which one call fails either goes on, with at most one connection ended and nothing lost on the others,
    /// or does not start, says why, and leaves nothing behind.
    private static func outcome(of fault: Fault) throws -> Outcome {
        let upstream = try FakeUpstream()
        return try DaemonProcess.run(
            configuration(upstream), environment: fault.environment, awaitsReady: false
        ) { daemon in
            try eventually("a start or an end") {
                daemon.process.hasEnded || daemon.log.contains { $0.hasPrefix("listening on") }
            }
            if daemon.process.hasEnded {
                try checkEnd(of: daemon, fault)
                return .ended
            }
            let conversation = Conversation(daemon, upstream)
            try conversation.take()
            let isMet = daemon.hasMetFault
            #expect(conversation.mistakes == [], "\(fault.testDescription)")
            let isHarmless = !isMet || Self.isHarmless(fault)
            #expect(conversation.cuts <= (isHarmless ? 0 : 1), "\(fault.testDescription): \(daemon.log)")
            if isHarmless { try eventually("READY=1") { daemon.manager.notices.contains("READY=1") } }
            // On a slow machine it may have needed more until now; one that spins goes on.
            if daemon.process.processorTime >= .milliseconds(300) { try daemon.process.awaitRest() }
            try eventually("the usual descriptors after \(fault.testDescription)") {
                // Without a service manager there is one less.
                withExtendedLifetime(conversation) {
                    daemon.process.descriptorCount <= Self.usualDescriptors
                }
            }
            #expect(try daemon.terminate() == 0, "\(fault.testDescription): \(daemon.log)")
            return isMet ? .wentOn : .notMet
        }
    }

    /// Whether nobody may notice, the service manager included.
    private static func isHarmless(_ fault: Fault) -> Bool {
        switch fault.call {
        case "recv", "send": ["EAGAIN", "EINTR", "ENOBUFS", "ENOMEM"].contains(fault.errno)
        case "accept4", "epoll_wait", "write", "poll": true
        default: fault.errno == "EINTR" && fault.call != "connect"
        }
    }

    private static func checkEnd(of daemon: DaemonProcess, _ fault: Fault) throws {
        #expect(try daemon.process.exitStatus() == 1, "\(fault.testDescription): \(daemon.log)")
        let line = daemon.log.last { !$0.hasPrefix("faults: ") } ?? ""
        let isAboutFile = line.hasPrefix(daemon.directory("feed.yaml: cannot "))
        #expect(isAboutFile || line.contains("\(fault.call): "), "\(daemon.log)")
        #expect(line.contains("(errno "), "\(daemon.log)")
        for path in [daemon.path(), daemon.path() + ".lock"] {
            // A lock file that could not be locked may be another's.
            guard fault.call != "flock" else { continue }
            #expect(access(path, F_OK) != 0, "\(path) after \(fault.testDescription)")
        }
    }

    /// With an upstream and two clients.
    private static let usualDescriptors: Int = {
        guard let upstream = try? FakeUpstream() else { return 0 }
        let count = try? DaemonProcess.run(configuration(upstream)) { daemon in
            let conversation = Conversation(daemon, upstream)
            try conversation.take()
            return withExtendedLifetime(conversation) { daemon.process.descriptorCount }
        }
        return count ?? 0
    }()

    // MARK: While it runs

    /// What is called again and again: none of these failures ends the daemon.
    private static let running: [(String, [String])] = [
        ("accept4", ["EAGAIN", "EINTR", "ECONNABORTED", "EPROTO", "ENETDOWN", "ETIMEDOUT"]),
        ("accept4", ["EMFILE", "ENFILE", "ENOBUFS", "ENOMEM", "EPERM"]),
        ("recv", ["EINTR", "ENOMEM", "ENOBUFS"]),
        ("recv", ["ECONNRESET", "ETIMEDOUT", "EHOSTUNREACH", "EPERM", "EINVAL"]),
        ("send", ["EAGAIN", "EINTR", "ENOMEM", "ENOBUFS"]),
        ("send", ["EPIPE", "ECONNRESET", "ETIMEDOUT", "EHOSTUNREACH", "ENETDOWN", "EPERM", "EINVAL"]),
        ("connect", ["EAGAIN", "EINTR", "ECONNREFUSED", "ENETUNREACH", "EHOSTUNREACH", "ETIMEDOUT"]),
        ("connect", ["EADDRNOTAVAIL", "EPERM", "EACCES", "ENOBUFS", "ENOMEM"]),
        ("setsockopt", ["ENOBUFS", "ENOMEM"]),
        ("getsockopt", ["ENOBUFS", "ENOMEM", "ECONNRESET"]),
        ("shutdown", ["ENOBUFS", "ENOTCONN"]),
        ("epoll_wait", ["EINTR"]),
        ("write", ["EINTR"]),
        ("poll", ["EINTR", "ENOMEM"]),
    ]

    /// Which calls of a name fail with an error: every one where nothing may come of it, and of errors that are alike each has
    /// every third call, so that between them no call is left out.
    private static func numbers(
        of call: String, failingWith errno: String, in plan: [(String, [String])]
    ) -> [Int] {
        let harmless = ["EAGAIN", "EINTR"]
        guard !harmless.contains(errno) else { return Array(1...most) }
        let all = plan.first { $0.0 == call && $0.1.contains(errno) }?.1 ?? [errno]
        let alike = all.filter { !harmless.contains($0) }
        let step = min(3, alike.count)
        let first = (alike.firstIndex(of: errno) ?? 0) % step
        return [1] + (2...most).filter { $0 % step == first }
    }

    /// The calls before that number succeed, no later one does.
    @Test(arguments: [
        ("accept4", "EMFILE", 1), ("accept4", "ECONNABORTED", 1), ("recv", "ENOMEM", 1),
        ("send", "ENOBUFS", 1),
        ("connect", "ENETUNREACH", 2), ("connect", "ENOBUFS", 2), ("socket", "EMFILE", 3),
        ("epoll_ctl", "ENOSPC", 4), ("epoll_ctl", "ENOMEM", 5),
    ])
    func `a failure that lasts costs next to nothing, and lets itself be stopped`(
        call: String, errno: String, from number: Int
    ) throws {
        let upstream = try FakeUpstream()
        let fault = Fault(call: call, errno: errno, number: number, lasts: true)
        let configuration = "upstream: {address: '\(upstream.address)', reconnect: {min: 50ms, max: 50ms}}"
        try DaemonProcess.run(configuration, environment: fault.environment, awaitsReady: false) { daemon in
            try daemon.awaitLine("listening on")
            let program = try Stream.connecting(to: .unix(path: daemon.path()))
            // It may have been let go already, for it could not be watched.
            try? program.send(Wire.line.frame("from a program"))
            try eventually("the failure") { daemon.hasMetFault }
            let server = try upstream.acceptNow()
            try server?.send(Wire.line.frame("from the upstream"))
            try daemon.process.awaitRest()
            #expect(daemon.log.count < 30, "\(daemon.log)")
            #expect(try daemon.terminate(within: .seconds(3)) == 0)
        }
    }

    @Test(arguments: running.flatMap { call, errors in errors.map { (call, $0) } })
    func `whatever fails while it runs, it goes on`(call: String, errno: String) throws {
        for number in Self.numbers(of: call, failingWith: errno, in: Self.running) {
            let outcome = try Self.outcome(of: Fault(call: call, errno: errno, number: number))
            #expect(outcome != .ended, "\(call):\(number):\(errno)")
            if outcome == .notMet {
                #expect(number > 1, "\(call) is never called")
                return
            }
        }
    }

    @Test func `a client of whose room the kernel cannot tell is not forgotten`() throws {
        let upstream = try FakeUpstream()
        let configuration = """
            upstream: {address: '\(upstream.address)'}
            sockets: {default: {patience: infinity}}
            """
        // The twelfth call is for the client to be read.
        let fault = Fault(call: "epoll_ctl", errno: "ENOMEM", number: 13, lasts: true)
        try DaemonProcess.run(configuration, environment: fault.environment) { daemon in
            let server = try upstream.accept()
            try daemon.awaitLine("connected to")
            let program = try daemon.connect()
            // More than the kernel keeps for a program that reads nothing.
            let stream = (0..<1000).flatMap { Wire.line.frame($0, size: 1000) }
            try server.send(stream)
            try eventually("the failure") { daemon.hasMetFault }
            #expect(try program.receive(stream.count) == stream)
        }
    }

    // MARK: At the start

    /// What is called while it starts, among other things.
    private static let starting: [(String, [String])] = [
        ("open", ["EMFILE", "ENFILE", "ENOMEM", "EINTR"]),
        ("read", ["EINTR", "EIO"]),
        ("socket", ["EMFILE", "ENFILE", "ENOBUFS", "ENOMEM"]),
        ("epoll_create1", ["EMFILE", "ENFILE", "ENOMEM"]),
        ("epoll_ctl", ["ENOMEM", "ENOSPC"]),
        ("eventfd", ["EMFILE", "ENFILE", "ENOMEM"]),
        ("signalfd", ["EMFILE", "ENFILE", "ENOMEM"]),
        ("memfd_create", ["EMFILE", "ENFILE", "ENOMEM"]),
        ("ftruncate", ["EINTR", "EIO", "ENOSPC"]),
        ("mmap", ["ENOMEM", "EAGAIN"]),
        ("pthread_create", ["EAGAIN"]),
        ("flock", ["EINTR", "ENOLCK"]),
        ("fstat", ["EIO", "ENOMEM"]),
        ("lstat", ["EIO", "ENOMEM", "EACCES"]),
        ("pwrite", ["EINTR", "ENOSPC", "EIO"]),
        ("fchmod", ["EPERM", "EROFS"]),
        ("bind", ["EADDRINUSE", "EACCES", "ENOSPC", "EROFS"]),
        ("chown", ["EPERM", "EROFS", "EIO"]),
        ("chmod", ["EPERM", "EROFS", "EIO"]),
        ("listen", ["EADDRINUSE", "ENOBUFS"]),
        ("getrlimit", ["EPERM"]),
        ("setrlimit", ["EPERM"]),
    ]

    @Test(arguments: starting.flatMap { call, errors in errors.map { (call, $0) } })
    func `whatever fails at the start is told, or does not matter`(call: String, errno: String) throws {
        for number in Self.numbers(of: call, failingWith: errno, in: Self.starting) {
            let outcome = try Self.outcome(of: Fault(call: call, errno: errno, number: number))
            if outcome == .notMet {
                #expect(number > 1, "\(call) is never called")
                return
            }
        }
    }
}
