import Glibc
import Linux
import TestSupport

/// A program that the test has started: ended and reaped whatever becomes of the test.
final class ChildProcess {
    let pid: pid_t
    private var status: Int32?

    /// Where the programs are: beside the tests.
    private static let products: String = {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        let path = String(decoding: buffer[..<max(0, count)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return path.split(separator: "/").dropLast().map { "/" + $0 }.joined()
    }()

    static func path(of program: String) -> String { "\(products)/\(program)" }

    /// What tells a sanitizer and the crash reporter how to behave goes to the programs, too.
    private static let inherited: [String: String] = {
        let names = ["ASAN_OPTIONS", "TSAN_OPTIONS", "SWIFT_BACKTRACE"]
        let values = names.compactMap { name in getenv(name).map { (name, String(cString: $0)) } }
        return Dictionary(uniqueKeysWithValues: values)
    }()

    /// The first of the arguments is the program's path; input, output and errors are files, and the environment is nearly
    /// all that it gets.
    init(
        _ arguments: [String], environment: [String: String], input: String = "/dev/null", output: String,
        errors: String
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, input, O_RDONLY, 0)
        let flags = O_WRONLY | O_CREAT | O_APPEND
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, flags, 0o644)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors, flags, 0o644)
        // The testing library's own descriptors are inherited otherwise.
        for raw in STDERR_FILENO + 1..<256 { posix_spawn_file_actions_addclose(&actions, raw) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var argv: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        let environment = Self.inherited.merging(environment) { $1 }
        var envp: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for string in argv + envp { free(string) } }
        var pid: pid_t = 0
        let code = posix_spawn(&pid, arguments[0], &actions, &attributes, &argv, &envp)
        guard code == 0 else { throw SystemError(call: "posix_spawn", code: code) }
        self.pid = pid
    }

    deinit {
        guard !hasEnded else { return }
        kill(pid, SIGKILL)
        waitpid(pid, nil, 0)
    }

    var hasEnded: Bool {
        if status != nil { return true }
        var status: Int32 = 0
        guard waitpid(pid, &status, WNOHANG) == pid else { return false }
        self.status = status
        return true
    }

    func signal(_ number: Int32) { if !hasEnded { kill(pid, number) } }

    /// Waits for its end. The limit is for what it sleeps and computes until then: that it waits for a processor, or the test
    /// does, is no part of it. Nor is what the kernel needs to let go of what it had open: an
    /// inotify(7) instance takes seconds now and then.
    ///
    /// - Returns: Its exit status, or the negated number of the signal that ended it.
    func exitStatus(within limit: Duration = .seconds(15)) throws -> Int32 {
        var slept = Duration.zero
        let spent = processorTime
        var last = ContinuousClock.now
        try eventually("the end of process \(pid), \(whereabouts)", within: max(limit, .seconds(15))) {
            if hasEnded || isExiting { return true }
            let now = ContinuousClock.now
            // Usually there is a look every two milliseconds.
            if isAsleep { slept += min(now - last, .milliseconds(20)) }
            last = now
            guard slept + (processorTime - spent) * slowdown <= limit * slowdown else {
                throw DeadlinePassed(what: "the end of process \(pid) within \(limit), \(whereabouts)")
            }
            return false
        }
        try eventually("the kernel to let go of process \(pid), \(whereabouts)", within: .seconds(120)) {
            hasEnded
        }
        let status = status ?? 0
        return status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
    }

    // MARK: What the kernel knows of it

    /// What it is doing, thread by thread, for who has waited for its end in vain.
    private var whereabouts: String {
        let threads = names(in: "task").map { name in
            let task = "/proc/\(pid)/task/\(name)"
            let state = text(of: "\(task)/stat").split(separator: ")").last?.dropFirst().prefix(1) ?? "?"
            return "\(state) in \(text(of: "\(task)/wchan"))"
        }
        guard !threads.isEmpty else { return "which is gone, though nobody was told" }
        return "whose threads are: \(threads.joined(separator: ", "))"
    }

    /// It does nothing any more, but is still being taken to pieces: PF_EXITING (proc_pid_stat(5)).
    private var isExiting: Bool {
        let fields = text(of: "/proc/\(pid)/stat").split(separator: ")").last?.split(separator: " ") ?? []
        return fields.count > 6 && (Int(fields[6]) ?? 0) & 4 != 0
    }

    /// Its first thread waits for something, and does not just wait for a processor.
    var isAsleep: Bool { status("State").hasPrefix("S") }

    /// SIGSTOP has had its effect.
    var isStopped: Bool { status("State").hasPrefix("T") }

    /// How often its first thread has gone to sleep.
    var sleeps: Int { Int(status("voluntary_ctxt_switches")) ?? -1 }

    func ignores(_ signal: Int32) -> Bool {
        // A bit for each signal, from 1.
        (UInt64(status("SigIgn"), radix: 16) ?? 0) >> (signal - 1) & 1 == 1
    }

    /// A field of proc_pid_status(5).
    private func status(_ name: String) -> Substring {
        let lines = text(of: "/proc/\(pid)/status").split(separator: "\n")
        let line = lines.first { $0.hasPrefix(name + ":") }
        return line?.drop { $0 != "\t" }.dropFirst() ?? ""
    }

    /// Its own memory, in bytes, without the pages of programs and libraries; what is mapped twice counts once
    /// (proc_pid_smaps(5)).
    ///
    /// 0 under a sanitizer, whose own memory cannot be told from the program's.
    var memory: Int {
        if isSanitized { return 0 }
        let lines = text(of: "/proc/\(pid)/smaps_rollup").split(separator: "\n")
        let kilobytes = lines.filter { $0.hasPrefix("Pss_Anon:") || $0.hasPrefix("Pss_Shmem:") }
            .compactMap { $0.split(separator: " ").compactMap { Int($0) }.first }
        return kilobytes.reduce(0, +) << 10
    }

    /// The processor time that it has used (proc_pid_stat(5)); under a sanitizer, what it would have used without, or less.
    var processorTime: Duration {
        let fields = text(of: "/proc/\(pid)/stat").split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12 else { return .zero }
        let ticks = (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0)
        return .seconds(ticks) / sysconf(Int32(_SC_CLK_TCK)) / slowdown
    }

    /// How many descriptors it has open; 0 after its end.
    var descriptorCount: Int { names(in: "fd").count }

    var threadCount: Int { names(in: "task").count }

    /// How many files and directories it watches (proc_pid_fdinfo(5)).
    var watchCount: Int {
        names(in: "fdinfo").map { name in
            text(of: "/proc/\(pid)/fdinfo/\(name)").split(separator: "\n").count { $0.hasPrefix("inotify ") }
        }.reduce(0, +)
    }

    /// How many inotify(7) descriptors it has open.
    var notifierCount: Int {
        names(in: "fd").count { name in
            var target = [CChar](repeating: 0, count: 64)
            let count = readlink("/proc/\(pid)/fd/\(name)", &target, target.count)
            let bytes = target.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }
            return String(decoding: bytes, as: UTF8.self) == "anon_inode:inotify"
        }
    }

    /// What a directory of numbers in proc_pid(5) holds.
    private func names(in directory: String) -> [String] {
        guard let directory = opendir("/proc/\(pid)/\(directory)") else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if Int(name) != nil { names.append(name) }
        }
        return names
    }
}
