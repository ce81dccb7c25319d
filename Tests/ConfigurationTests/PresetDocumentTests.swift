import Foundation
import Testing

@testable import Configuration

/// docs/PROTOCOLS.md has the table of protocols as people read it.
@Suite struct PresetDocumentTests {
    private static func row(_ preset: Preset) -> String {
        let cells = [
            "`\(preset.name)`", preset.purpose, preset.port.map { "\($0)" } ?? "",
            preset.settings.map { "`\($0.text)`" }.joined(separator: ", "), preset.source,
        ]
        return cells.map { $0.isEmpty ? "| " : "| \($0) " }.joined() + "|"
    }

    private static func text(of path: String) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    @Test func `the README names every protocol`() throws {
        let paragraph = try #require(
            Self.text(of: "README.md").components(separatedBy: "\n\n").first { $0.hasPrefix("Known are ") })
        let names = paragraph.prefix { $0 != "." }.matches(of: /`([a-z0-9-]+)`/).map { String($0.output.1) }
        #expect(names == Preset.all.map(\.name))
    }

    @Test func `the document has every protocol, as it is`() throws {
        let rows = try Self.text(of: "docs/PROTOCOLS.md").components(separatedBy: "\n").filter {
            $0.hasPrefix("| `")
        }
        let expected = Preset.all.map(Self.row)
        #expect(rows == expected, "the rows should be:\n\(expected.joined(separator: "\n"))")
    }

    @Test func `the document's example is accepted`() throws {
        let blocks = try Self.text(of: "docs/PROTOCOLS.md").components(separatedBy: "```yaml\n").dropFirst()
        let example = try #require(blocks.first?.components(separatedBy: "```").first)
        let upstream = try read(example).upstream
        #expect(upstream.protocolName == "ais" && upstream.idleTimeout == .seconds(60))
    }

    @Test func `every protocol tells its source, and nothing that would break the table`() {
        for preset in Preset.all {
            #expect(preset.source.count > 20 && !preset.purpose.isEmpty, "\(preset.name)")
            #expect(!Self.row(preset).dropFirst().dropLast().contains(/\|\S/), "\(preset.name)")
        }
    }
}
