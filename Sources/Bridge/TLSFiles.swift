public import Configuration
import TLS

extension TLSSettings {
    /// What is wrong now with the files that connections will read. Of a certificate and its key, it is the first thing found;
    /// credentials are there for the service only, and not looked at.
    public var fileFaults: [String] {
        [
            caFile?.path.map { TLSClient.Settings(caFile: $0) },
            certificate?.path.flatMap { certificate in
                if let key, key.path == nil { return nil }
                return TLSClient.Settings(isVerified: false, certificate: certificate, key: key?.path)
            },
        ].compactMap { settings in
            guard let settings else { return nil }
            do throws(TLSError) {
                try TLSClient(settings).examine()
                return nil
            } catch {
                return error.message
            }
        }
    }
}

extension FileSource {
    fileprivate var path: String? { if case .path(let path) = self { path } else { nil } }
}
