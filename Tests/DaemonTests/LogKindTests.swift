import Bridge
import Foundation
import Testing

@testable import Daemon

/// The numbers by which the journal knows the kinds of lines, and what its catalog says of them.
struct LogKindTests {
    private static func text(of file: String) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: file), encoding: .utf8)
    }

    private static func catalog() throws -> [String] {
        try text(of: "systemd/trunkline.catalog").components(separatedBy: "\n")
    }

    @Test(arguments: LogKind.allCases)
    func `a number is a random 128-bit one`(kind: LogKind) {
        let digits = Array(kind.rawValue)
        #expect(digits.count == 32 && digits.allSatisfy("0123456789abcdef".contains))
        // Version 4 of RFC 9562.
        #expect(digits[12] == "4" && "89ab".contains(digits[16]))
    }

    @Test func `the catalog explains every number once, and no other`() throws {
        let explained = try Self.catalog().filter { $0.hasPrefix("-- ") }.map { String($0.dropFirst(3)) }
        #expect(explained.sorted() == LogKind.allCases.map(\.rawValue).sorted())
    }

    @Test func `the list of kinds has every number once, and no other`() throws {
        let listed = try Self.text(of: "docs/LOG.md").matches(of: /`([0-9a-f]{32})`/).map {
            String($0.output.1)
        }
        #expect(listed.sorted() == LogKind.allCases.map(\.rawValue).sorted())
    }

    /// The words in a kind's row of the list, and those that the catalog explains for it.
    private static func reasons(of kind: LogKind) throws -> (listed: Set<String>, explained: Set<String>) {
        let rows = try text(of: "docs/LOG.md").components(separatedBy: "\n")
        let row = try #require(rows.first { $0.contains(kind.rawValue) })
        let column = row.split(separator: "|").last ?? ""
        let entries = try text(of: "systemd/trunkline.catalog").components(separatedBy: "-- ")
        let entry = try #require(entries.first { $0.hasPrefix(kind.rawValue) })
        return (
            Set(column.matches(of: /`([a-z-]+)`/).map { String($0.output.1) }),
            Set(entry.matches(of: /REASON=([a-z-]+)/).map { String($0.output.1) })
        )
    }

    @Test(arguments: LogKind.allCases)
    func `the catalog explains no reason that lines of the kind do not have`(kind: LogKind) throws {
        let (listed, explained) = try Self.reasons(of: kind)
        #expect(explained.isSubset(of: listed), "\(explained) for \(kind)")
    }

    @Test func `the catalog and the list know each reason for which something is thrown away`() throws {
        let (listed, explained) = try Self.reasons(of: .discarded)
        #expect(listed == Set(DiscardReason.allCases.map { Trouble($0).rawValue }))
        #expect(explained == listed)
    }

    @Test func `each explanation has a subject, and names fields that lines have`() throws {
        let lines = try Self.catalog()
        let known = ["BRIDGE", "UPSTREAM", "SOCKET", "CLIENT_PID", "CLIENT_UID", "REASON", "ERRNO"]
        for (number, line) in lines.enumerated() {
            if line.hasPrefix("-- ") {
                #expect(lines[number + 1].hasPrefix("Subject: "))
                #expect(lines[number + 2].hasPrefix("Defined-By: Trunkline"))
            }
            for name in line.split(separator: "@").enumerated().filter({ $0.offset % 2 == 1 }) {
                #expect(known.contains(String(name.element)), "\(line)")
            }
        }
    }
}
