import CLinux
import Glibc

/// A mapping that could not be made.
public struct MemoryError: Error, Equatable, Sendable {
    /// The call that failed.
    public let call: String
    /// Its errno.
    public let code: Int32
}

/// A memfd mapped twice in a row, so that every window of up to `size` bytes is contiguous.
///
/// Bytes are addressed by absolute positions, which wrap around every `size` bytes.
@safe public struct MirroredMemory: ~Copyable {
    /// Bytes: a power of two.
    public let size: Int
    @usableFromInline let base: UnsafeMutablePointer<UInt8>
    private let descriptor: Int32

    /// - Parameter size: A power of two and a multiple of the page size.
    /// - Throws: `MemoryError`; nothing is left behind then.
    public init(size: Int) throws(MemoryError) {
        precondition(size > 0 && size & (size - 1) == 0 && size % 4096 == 0, "\(size) is no power of two")
        let descriptor = unsafe tl_memfd("trunkline")
        guard descriptor >= 0 else { throw MemoryError(call: "memfd_create", code: errno) }
        guard ftruncate(descriptor, size) == 0 else { throw Self.failed("ftruncate", closing: descriptor) }
        guard let base = unsafe tl_map_twice(descriptor, size) else {
            throw Self.failed("mmap", closing: descriptor)
        }
        unsafe self.base = base.assumingMemoryBound(to: UInt8.self)
        self.size = size
        self.descriptor = descriptor
    }

    private static func failed(_ call: String, closing descriptor: Int32) -> MemoryError {
        let code = errno
        close(descriptor)
        return MemoryError(call: call, code: code)
    }

    deinit {
        unsafe munmap(base, size * 2)
        close(descriptor)
    }

    @inlinable
    func address(of range: Range<UInt64>) -> UnsafeMutablePointer<UInt8> {
        // With this the range lies within the two mappings, which is what makes the pointers below safe.
        precondition(range.count <= size, "\(range.count) bytes of \(size)")
        return unsafe base + Int(truncatingIfNeeded: range.lowerBound & UInt64(size - 1))
    }

    /// Lends the bytes of a range of at most `size` bytes.
    @inlinable
    public func withBytes<R, E: Error>(
        _ range: Range<UInt64>, _ body: (Span<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        try body(unsafe Span(_unsafeStart: address(of: range), count: range.count))
    }

    /// Lends the same bytes for writing.
    @inlinable
    public mutating func withMutableBytes<R, E: Error>(
        _ range: Range<UInt64>, _ body: (inout MutableSpan<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        var span = unsafe MutableSpan(_unsafeStart: address(of: range), count: range.count)
        return try body(&span)
    }

    /// Copies bytes in, from `position` on.
    public mutating func copy(_ bytes: Span<UInt8>, to position: UInt64) {
        let target = unsafe address(of: position..<position + UInt64(bytes.count))
        unsafe bytes.withUnsafeBufferPointer { source in
            guard let start = source.baseAddress else { return }
            unsafe target.update(from: start, count: source.count)
        }
    }
}
