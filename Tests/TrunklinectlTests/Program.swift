import Foundation

/// A program of the system, such as a shell or a formatter.
struct Program {
    let path: String

    /// - Returns: `nil` when it is not installed.
    init?(_ name: String) {
        let places = ["/bin", "/usr/bin"].map { "\($0)/\(name)" }
        guard let path = places.first(where: FileManager.default.isExecutableFile) else { return nil }
        self.path = path
    }

    struct Outcome: Equatable {
        var status: Int32
        var output: String
        var errors: String
    }

    /// Runs it in an environment of its own, to its end.
    func run(_ arguments: String..., environment: [String: String] = [:]) throws -> Outcome {
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.environment = ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"].merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        // Whoever writes much writes it to standard output.
        let printed = try output.fileHandleForReading.readToEnd() ?? Data()
        let complaints = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Outcome(
            status: process.terminationStatus, output: String(decoding: printed, as: UTF8.self),
            errors: String(decoding: complaints, as: UTF8.self))
    }
}
