/// Commands that change what a daemon finds, then execute it.
enum Launcher {
    /// Standard error goes to that path.
    static func errors(to path: String) -> [String] { shell("exec \"$0\" \"$@\" 2>>'\(path)'") }

    /// In a mount namespace of its own, once the script has mounted things there (unshare(1)): for root only.
    static func mounting(_ script: String) -> [String] {
        ["/usr/bin/env", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "unshare", "--mount"]
            + shell("set -e; \(script); exec \"$0\" \"$@\"")
    }

    private static func shell(_ script: String) -> [String] { ["/bin/sh", "-c", script] }
}
