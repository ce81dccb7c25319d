import COpenSSL

/// OpenSSL's queue of errors, one for each thread. It is emptied before each call whose result it explains.
enum ErrorQueue {
    struct Entry {
        /// One of `SSL_R_…` if it comes from TLS itself.
        let tlsReason: Int32?
        /// OpenSSL's words.
        let text: String
    }

    static func clear() { ERR_clear_error() }

    /// The first error, which is the cause of the others; the queue is empty afterwards.
    static func take() -> Entry? {
        let code = ERR_get_error()
        guard code != 0 else { return nil }
        defer { clear() }
        let text = unsafe ERR_reason_error_string(code).map { unsafe String(cString: $0) }
        let reason = ERR_GET_LIB(code) == ERR_LIB_SSL ? ERR_GET_REASON(code) : nil
        return Entry(tlsReason: reason, text: text ?? "error \(String(code, radix: 16))")
    }

    /// The first error's words.
    static func takeText() -> String { take()?.text ?? "for no known reason" }
}
