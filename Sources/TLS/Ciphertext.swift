import COpenSSL

/// What OpenSSL wants to be sent and nobody has taken yet: a BIO of a fixed size.
@safe final class Ciphertext {
    static let capacity = 128 << 10

    private let storage = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    private(set) var count = 0
    /// How much of it is gone.
    private(set) var gone = 0
    /// OpenSSL wanted to write more than there is room for.
    private(set) var hasOverflowed = false

    deinit { unsafe storage.deallocate() }

    var isEmpty: Bool { count == 0 }

    /// Lends what is left.
    func withRest<R, E>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        try unsafe body(UnsafeBufferPointer(start: storage + gone, count: count - gone).span)
    }

    func moved(_ moved: Int) {
        gone += moved
        if gone == count { (gone, count) = (0, 0) }
    }

    fileprivate func append(_ data: UnsafePointer<CChar>, _ length: Int) -> Bool {
        guard length <= Self.capacity - count else {
            hasOverflowed = true
            return false
        }
        unsafe (storage + count).initialize(
            from: UnsafeRawPointer(data).assumingMemoryBound(to: UInt8.self), count: length)
        count += length
        return true
    }

    /// A BIO that writes to this, which must outlive it.
    func makeBIO() -> OpaquePointer {
        guard let bio = unsafe BIO_new(Self.method) else { preconditionFailure("no memory for a BIO") }
        unsafe BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
        unsafe BIO_set_init(bio, 1)
        return unsafe bio
    }

    /// Made once, and never changed.
    nonisolated(unsafe) private static let method: OpaquePointer = {
        guard let method = unsafe BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "ciphertext")
        else {
            preconditionFailure("no memory for a BIO's method")
        }
        unsafe BIO_meth_set_write(method) { bio, data, length in
            guard let object = unsafe BIO_get_data(bio), let data = unsafe data else { return -1 }
            let buffer = unsafe Unmanaged<Ciphertext>.fromOpaque(object).takeUnretainedValue()
            return unsafe buffer.append(data, Int(length)) ? length : -1
        }
        unsafe BIO_meth_set_ctrl(method) { _, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0 }
        return unsafe method
    }()
}
