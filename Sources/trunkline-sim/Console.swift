import Glibc
import Linux

private let programName = "trunkline-sim"
private let standardOutput = FileDescriptor(owning: 1)
private let standardError = FileDescriptor(owning: 2)

/// Writes to standard output at once.
func say(_ text: String) {
    let bytes = Array(text.utf8)
    try? standardOutput.writeAll(bytes.span)
}

/// Writes a line to standard error.
func complain(_ text: String) {
    let bytes = Array("\(programName): \(text)\n".utf8)
    try? standardError.writeAll(bytes.span)
}

/// Ends the program with status 1.
func fail(_ text: String) -> Never {
    complain(text)
    exit(1)
}

/// Ends the program with status 64 (`EX_USAGE`).
func failUsage(_ error: UsageError) -> Never {
    complain("\(error)")
    complain("'\(programName) --help' shows what there is")
    exit(64)
}
