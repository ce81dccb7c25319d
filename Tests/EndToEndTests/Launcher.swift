/// Commands that change what a program finds, then execute it.
enum Launcher {
    /// In a script for `shell`: executes the program.
    static let rest = "exec \"$0\" \"$@\""

    static func shell(_ script: String) -> [String] { ["/bin/sh", "-c", script] }

    /// Standard error goes to that path.
    static func errors(to path: String) -> [String] { shell("\(rest) 2>>'\(path)'") }

    /// So many descriptors are allowed (RLIMIT_NOFILE).
    static func allowing(descriptors: Int) -> [String] { shell("ulimit -n \(descriptors); \(rest)") }

    /// In a mount namespace of its own, once the script has mounted things there (unshare(1)): for root only.
    static func mounting(_ script: String) -> [String] {
        ["/usr/bin/env", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "unshare", "--mount"]
            + shell("set -e; \(script); \(rest)")
    }

    /// In a network namespace of its own, with the loopback interface only, where the kernel gives connections no other port
    /// than that even one: for root only.
    static func network(port: Int) -> [String] {
        ["/usr/bin/env", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "unshare", "--net"]
            + shell(
                """
                set -e; ip link set lo up
                echo '\(port) \(port + 1)' >/proc/sys/net/ipv4/ip_local_port_range; \(rest)
                """)
    }
}
