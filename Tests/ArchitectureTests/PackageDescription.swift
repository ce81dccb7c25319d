import Foundation

/// What Package.swift says, as `swift package dump-package` prints it.
struct PackageDescription: Decodable {
    struct Target: Decodable {
        var name: String
        var type: String
        var path: String?
        var dependencies: [Dependency]
    }

    /// `{"byName": ["Framing", null]}`, or likewise with "target" or "product".
    struct Dependency: Decodable {
        var name: String

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            guard let name = try container.decode([String: [String?]].self).values.first?.first ?? nil else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "unknown dependency")
            }
            self.name = name
        }
    }

    struct DumpFailed: Error {
        var status: Int32
        var output: String
    }

    var targets: [Target]

    static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// This package, asked for once.
    static let current = Result { try dump() }

    /// Asks the package manager, in a scratch directory of its own: a `swift test` that is running may hold the
    /// lock of the usual one.
    private static func dump() throws -> PackageDescription {
        let scratch = FileManager.default.temporaryDirectory.appending(path: "dump-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: scratch) }

        let swift = Process()
        swift.executableURL = URL(filePath: "/usr/bin/env")
        swift.arguments = [
            "swift", "package", "--package-path", root.path(percentEncoded: false),
            "--scratch-path", scratch.path(percentEncoded: false), "dump-package",
        ]
        let output = Pipe()
        swift.standardInput = FileHandle.nullDevice
        swift.standardOutput = output
        try swift.run()
        let json = try output.fileHandleForReading.readToEnd() ?? Data()
        swift.waitUntilExit()
        guard swift.terminationStatus == 0 else {
            throw DumpFailed(status: swift.terminationStatus, output: String(decoding: json, as: UTF8.self))
        }
        return try JSONDecoder().decode(PackageDescription.self, from: json)
    }
}

extension PackageDescription.Target {
    /// The target's Swift sources.
    var sources: [URL] {
        let folder = path ?? (type == "test" ? "Tests/" : "Sources/") + name
        let files = FileManager.default.enumerator(
            at: PackageDescription.root.appending(path: folder), includingPropertiesForKeys: nil)
        return (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
    }

    /// The modules that the sources import.
    func imports() throws -> Set<String> {
        var modules: Set<String> = []
        for source in sources {
            modules.formUnion(importedModules(in: try String(contentsOf: source, encoding: .utf8)))
        }
        return modules
    }
}
