import COpenSSL

/// The newest session with each server, so that the next connection can go on with it: shorter, and without certificates.
final class SessionStore {
    @safe private final class Session {
        let raw: OpaquePointer

        init(owning raw: OpaquePointer) { unsafe self.raw = unsafe raw }

        deinit { unsafe SSL_SESSION_free(raw) }
    }
    private var sessions: [ServerName: Session] = [:]

    /// Keeps a copy: OpenSSL takes the session itself for spoilt when its connection ends badly.
    func keep(_ session: OpaquePointer, of server: ServerName) {
        guard let copy = unsafe SSL_SESSION_dup(session) else { return }
        sessions[server] = unsafe Session(owning: copy)
    }

    func forget(_ server: ServerName) { sessions[server] = nil }

    func forgetAll() { sessions = [:] }

    /// Has a connection begin with the session of this server, if there is one whose certificate is still valid.
    func resume(_ server: ServerName, on ssl: OpaquePointer) {
        guard let session = sessions[server] else { return }
        guard let certificate = unsafe SSL_SESSION_get0_peer(session.raw),
            unsafe X509_cmp_current_time(X509_get0_notAfter(certificate)) > 0
        else { return forget(server) }
        // The connection has one of its own to spoil.
        guard let copy = unsafe SSL_SESSION_dup(session.raw) else { return }
        defer { unsafe SSL_SESSION_free(copy) }
        _ = unsafe SSL_set_session(ssl, copy)
    }
}
