import Configuration
import Glibc

/// Reads `text` as the file `ais.yaml`.
func read(_ text: String, path: String = "ais.yaml") throws(ConfigurationErrors) -> Configuration {
    try Configuration(parsing: Array(text.utf8), path: path, runtimeDirectory: "/run/trunkline")
}

/// The errors of a file, as people see them; empty if there are none.
func errors(in text: String, path: String = "ais.yaml") -> [String] {
    errors(in: Array(text.utf8), path: path)
}

func errors(in bytes: [UInt8], path: String = "ais.yaml") -> [String] {
    do {
        _ = try Configuration(parsing: bytes, path: path, runtimeDirectory: "/run/trunkline")
        return []
    } catch {
        return error.errors.map(\.description)
    }
}

/// A file with lines for `upstream` after its address, and lines at the top level.
func file(upstream: String = "", top: String = "") -> String {
    let lines = upstream.split(separator: "\n").map { "  \($0)\n" }.joined()
    return "upstream:\n  address: feed:1\n\(lines)\(top)"
}

/// The examples, by path.
let examples: [String] = {
    let root = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
    guard let directory = opendir("\(root)/config") else { return [] }
    defer { closedir(directory) }
    var paths: [String] = []
    while let entry = readdir(directory) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name.hasSuffix(".yaml") { paths.append("\(root)/config/\(name)") }
    }
    return paths.sorted()
}()
