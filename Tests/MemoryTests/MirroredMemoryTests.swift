import Glibc
import TestSupport
import Testing

@testable import Memory

/// Bytes at absolute positions, in a ring without a seam.
struct MirroredMemoryTests {
    static let size = 4096

    func contents(of memory: borrowing MirroredMemory, _ range: Range<UInt64>) -> [UInt8] {
        memory.withBytes(range) { bytes in bytes.withUnsafeBufferPointer { Array($0) } }
    }

    func copy(_ bytes: [UInt8], to position: UInt64, in memory: inout MirroredMemory) {
        memory.copy(bytes.span, to: position)
    }

    static let numbers = (0..<100).map { UInt8($0) }

    @Test(arguments: [0, 1, 3996, 3997, 4046, 4095, 4096, 8142, UInt64(1) << 40 + 4050])
    func `bytes copied to a position are found there, over the seam or not`(position: UInt64) throws {
        var memory = try MirroredMemory(size: Self.size)
        copy(Self.numbers, to: position, in: &memory)
        #expect(contents(of: memory, position..<position + 100) == Self.numbers)
        #expect(contents(of: memory, position + 40..<position + 60) == Array(Self.numbers[40..<60]))
    }

    @Test func `a window over the seam is one run, and both of its ends are written`() throws {
        var memory = try MirroredMemory(size: Self.size)
        memory.withMutableBytes(4000..<4200) { bytes in
            #expect(bytes.count == 200)
            for i in bytes.indices { bytes[i] = UInt8(i) }
        }
        #expect(contents(of: memory, 4000..<4200) == (0..<200).map { UInt8($0) })
        #expect(contents(of: memory, 0..<104) == (96..<200).map { UInt8($0) })
    }

    @Test(arguments: [0, 1, 2048, 4095])
    func `the whole ring can be lent from any position on`(position: UInt64) throws {
        var memory = try MirroredMemory(size: Self.size)
        let bytes = (0..<Self.size).map { UInt8(truncatingIfNeeded: $0 / 16) }
        copy(bytes, to: position, in: &memory)
        #expect(contents(of: memory, position..<position + 4096) == bytes)
    }

    @Test func `a position comes again after every round`() throws {
        var memory = try MirroredMemory(size: 8192)
        copy([1, 2, 3], to: 8191, in: &memory)
        #expect(contents(of: memory, 16383..<16386) == [1, 2, 3])
        #expect(contents(of: memory, 0..<2) == [2, 3])
    }

    @Test func `nothing can be copied and lent`() throws {
        var memory = try MirroredMemory(size: Self.size)
        copy([], to: 4096, in: &memory)
        #expect(contents(of: memory, 4096..<4096).isEmpty)
    }

    @Test func `a new ring is all zeros`() throws {
        let memory = try MirroredMemory(size: Self.size)
        #expect(contents(of: memory, 0..<4096).allSatisfy { $0 == 0 })
    }

    @Test func `what the body throws goes through`() throws {
        struct Fault: Error, Equatable {}
        var memory = try MirroredMemory(size: Self.size)
        func fail(_ memory: borrowing MirroredMemory) throws(Fault) {
            try memory.withBytes(0..<1) { _ throws(Fault) in throw Fault() }
        }
        func failToWrite(_ memory: inout MirroredMemory) throws(Fault) {
            try memory.withMutableBytes(0..<1) { _ throws(Fault) in throw Fault() }
        }
        #expect(throws: Fault()) { try fail(memory) }
        #expect(throws: Fault()) { try failToWrite(&memory) }
    }

    @Test(arguments: [(1 << 46, "mmap", ENOMEM), (1 << 62, "mmap", ENOMEM)])
    func `a ring that the address space has no room for is an error`(size: Int, call: String, code: Int32) {
        #expect(throws: MemoryError(call: call, code: code)) { _ = try MirroredMemory(size: size) }
    }

    @Test func `the call that failed is named`() async {
        await #expect(processExitsWith: .success) {
            var limit = rlimit(rlim_cur: 0, rlim_max: 0)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            #expect(throws: MemoryError(call: "memfd_create", code: EMFILE)) {
                _ = try MirroredMemory(size: 4096)
            }
        }
        await #expect(processExitsWith: .success) {
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 4096, rlim_max: 4096)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            #expect(throws: MemoryError(call: "ftruncate", code: EFBIG)) {
                _ = try MirroredMemory(size: 8192)
            }
        }
    }

    @Test(.disabled(if: isSanitized, "a sanitizer needs most of the address space itself"))
    func `a ring gives its descriptor and its pages back`() async {
        await #expect(processExitsWith: .success) {
            // Only those of rings: others open and close files of their own.
            func rings() -> Int {
                (0..<1024).count { descriptor in
                    var target = [CChar](repeating: 0, count: 16)
                    return readlink("/proc/self/fd/\(descriptor)", &target, target.count) == 16
                        && target == Array("/memfd:trunkline".utf8CString.dropLast())
                }
            }
            let memory = try MirroredMemory(size: 4096)
            #expect(rings() == 1)
            // More than the address space holds, if one of them were kept.
            for _ in 0..<10 { _ = try MirroredMemory(size: 1 << 43) }
            #expect(throws: MemoryError.self) { _ = try MirroredMemory(size: 1 << 46) }
            #expect(rings() == 1)
            memory.withBytes(0..<1) { _ in }
        }
    }

    @Test(arguments: [0, 4095, 4097, 12288, 2048])
    func `a size that is no power of two, or less than a page, is a mistake`(size: Int) async {
        await #expect(processExitsWith: .failure) { [size] in _ = try MirroredMemory(size: size) }
    }

    @Test func `a window larger than the ring is a mistake`() async {
        await #expect(processExitsWith: .failure) {
            let memory = try MirroredMemory(size: 4096)
            memory.withBytes(0..<4097) { _ in }
        }
    }
}
