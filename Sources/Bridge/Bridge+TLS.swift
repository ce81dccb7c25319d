import Configuration
import Linux
public import TLS
import Uplink

/// TLS with the upstream.
extension Bridge {
    /// Begins the handshake on the connection.
    func secure(step: UInt64) -> [Uplink.Effect] {
        guard let connection, connection.step == step, let settings = configuration.upstream.tls else {
            preconditionFailure("no connection to secure")
        }
        do throws(TLSError) {
            let client = try tlsClient(settings)
            let session = try client.connect(connection.descriptor.raw, serverName: serverName(settings))
            connection.secure(session)
            return []
        } catch {
            return uplink.failed(step: step, .tls(error), now: loop.now, jitter: jitter())
        }
    }

    /// What TLS has agreed upon with the upstream that is connected; `nil` without TLS or a connection.
    public var tlsDetails: TLSDetails? { readySince == nil ? nil : connection?.tls?.details }

    func upstreamSecured(step: UInt64) { perform(uplink.secured(step: step, now: loop.now)) }

    private func tlsClient(_ settings: TLSSettings) throws(TLSError) -> TLSClient {
        if let tlsClient { return tlsClient }
        let client = TLSClient(try TLSClient.Settings(settings))
        tlsClient = client
        return client
    }

    /// Who the server must prove to be.
    private func serverName(_ settings: TLSSettings) -> String? {
        if let name = settings.serverName { return name }
        guard case .preparing(.securing(let endpoint)) = uplink.state,
            case .host(let host, _) = configuration.upstream.uplink.endpoints[endpoint]
        else { return nil }
        return host
    }
}

extension TLSClient.Settings {
    fileprivate init(_ settings: TLSSettings) throws(TLSError) {
        self.init(
            caFile: try settings.caFile.map(path(of:)), isVerified: settings.verify == .full,
            certificate: try settings.certificate.map(path(of:)), key: try settings.key.map(path(of:)),
            minimum: TLSVersion(settings.minimum), alpn: settings.alpn, pins: settings.pins)
    }
}

extension TLSVersion {
    fileprivate init(_ minimum: TLSSettings.Minimum) {
        switch minimum {
        case .tls12: self = .tls12
        case .tls13: self = .tls13
        }
    }
}

private func path(of source: FileSource) throws(TLSError) -> String {
    switch source {
    case .path(let path): return path
    case .credential(let name):
        do throws(CredentialError) {
            return try Credential(name).readablePath()
        } catch {
            throw TLSError("cannot use credential \(name): \(error.reason)", isLasting: true)
        }
    }
}
