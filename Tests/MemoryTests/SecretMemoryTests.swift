import Glibc
import Testing

@testable import Memory

/// Memory that no core dump holds.
struct SecretMemoryTests {
    private func fill(_ memory: inout SecretMemory, _ range: Range<Int>, from first: UInt8) {
        memory.withMutableBytes(range) { bytes in
            for index in bytes.indices { bytes[index] = first &+ UInt8(truncatingIfNeeded: index) }
        }
    }

    private func contents(of memory: borrowing SecretMemory, _ range: Range<Int>) -> [UInt8] {
        memory.withBytes(range) { bytes in bytes.withUnsafeBufferPointer { Array($0) } }
    }

    @Test func `what was written is found, and can be moved to where it overlaps itself`() throws {
        var memory = try SecretMemory(size: 100)
        #expect(contents(of: memory, 0..<100) == Array(repeating: 0, count: 100))
        fill(&memory, 10..<50, from: 1)
        memory.move(10..<50, to: 5)
        #expect(contents(of: memory, 5..<45) == (1...40).map { UInt8($0) })
        memory.move(5..<45, to: 20)
        #expect(contents(of: memory, 20..<60) == (1...40).map { UInt8($0) })
    }

    @Test func `the kernel knows that it is in no core dump`() throws {
        var memory = try SecretMemory(size: 4096)
        fill(&memory, 0..<4096, from: 0)
        let address = memory.withMutableBytes(0..<1) { bytes in
            bytes.withUnsafeMutableBufferPointer { UInt(bitPattern: $0.baseAddress) }
        }
        let flags = self.flags(ofMappingWith: address) ?? []
        #expect(flags.contains("dd"))
    }

    @Test func `bytes outside of it are not to be had`() async {
        await #expect(processExitsWith: .failure) {
            let memory = try SecretMemory(size: 10)
            memory.withBytes(5..<11) { _ in }
        }
    }

    /// What smaps (proc(5)) tells of the mapping that an address is in.
    private func flags(ofMappingWith address: UInt) -> [Substring]? {
        guard let file = fopen("/proc/self/smaps", "r") else { return nil }
        defer { fclose(file) }
        var isInside = false
        var line = [CChar](repeating: 0, count: 4096)
        while fgets(&line, Int32(line.count), file) != nil {
            let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                .split(whereSeparator: \.isWhitespace)
            let bounds = words.first?.split(separator: "-").compactMap { UInt($0, radix: 16) } ?? []
            if bounds.count == 2 { isInside = (bounds[0]..<bounds[1]).contains(address) }
            if isInside && words.first == "VmFlags:" { return Array(words.dropFirst()) }
        }
        return nil
    }
}
