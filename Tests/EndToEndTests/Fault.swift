import Testing

/// A system call of a program that fails: see Tests/Faults.
struct Fault: Sendable, CustomTestStringConvertible {
    /// `recv`.
    let call: String
    /// `ENOMEM`.
    let errno: String
    /// Which of the process's calls of that name fails, from 1.
    let number: Int
    /// Whether all after it fail as well.
    var lasts = false

    var testDescription: String { "\(call):\(number)\(lasts ? "+" : ""):\(errno)" }

    /// What makes it happen in a program that is started.
    var environment: [String: String] { Self.environment([self]) }

    /// What makes the wall clock jump by so many hours, there and back, each time that it is read.
    static func steppingWallClock(byHours hours: Int) -> [String: String] {
        environment([]).merging(["WALL_CLOCK_STEP": "\(hours * 3600)"]) { $1 }
    }

    /// What makes all of them happen.
    static func environment(_ faults: [Fault]) -> [String: String] {
        let plan = faults.map(\.testDescription).joined(separator: ",")
        return ["LD_PRELOAD": ChildProcess.path(of: "libFaults.so"), "FAULTS": plan]
    }
}

extension DaemonProcess {
    /// Whether one of its calls was made to fail by now.
    var hasMetFault: Bool { log.contains { $0.hasPrefix("faults: ") } }
}
