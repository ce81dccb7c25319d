import Glibc

/// Memory for what nobody else is to see: no core dump holds it, it is not swapped out where the limit of locked memory
/// allows that, and it is wiped in the end.
@safe public struct SecretMemory: ~Copyable {
    /// Bytes.
    public let size: Int
    private let base: UnsafeMutableRawPointer

    /// - Throws: `MemoryError`; nothing is left behind then.
    public init(size: Int) throws(MemoryError) {
        precondition(size > 0, "\(size) bytes")
        let flags = MAP_PRIVATE | MAP_ANONYMOUS
        guard let base = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, flags, -1, 0),
            unsafe base != MAP_FAILED
        else { throw MemoryError(call: "mmap", code: errno) }
        guard unsafe madvise(base, size, Int32(MADV_DONTDUMP)) == 0 else {
            let code = errno
            unsafe munmap(base, size)
            throw MemoryError(call: "madvise", code: code)
        }
        _ = unsafe mlock(base, size)
        self.size = size
        unsafe self.base = base
    }

    deinit {
        unsafe explicit_bzero(base, size)
        unsafe munmap(base, size)
    }

    private func address(of range: Range<Int>) -> UnsafeMutablePointer<UInt8> {
        precondition(range.lowerBound >= 0 && range.upperBound <= size, "\(range) of \(size) bytes")
        return unsafe (base + range.lowerBound).assumingMemoryBound(to: UInt8.self)
    }

    /// Lends a range of the bytes.
    public func withBytes<R, E: Error>(
        _ range: Range<Int>, _ body: (Span<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        try body(unsafe Span(_unsafeStart: address(of: range), count: range.count))
    }

    /// Lends the same bytes for writing.
    public mutating func withMutableBytes<R, E: Error>(
        _ range: Range<Int>, _ body: (inout MutableSpan<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        var span = unsafe MutableSpan(_unsafeStart: address(of: range), count: range.count)
        return try body(&span)
    }

    /// Moves bytes to another place, which may overlap theirs.
    public mutating func move(_ range: Range<Int>, to start: Int) {
        let source = unsafe address(of: range)
        unsafe address(of: start..<start + range.count).update(from: source, count: range.count)
    }
}
