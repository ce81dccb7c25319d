import Linux
import TLS
import Uplink

extension Uplink.Reason {
    static func system(_ error: SystemError) -> Uplink.Reason {
        .system(call: error.call.description, errno: error.code)
    }

    static func tls(_ error: TLSError) -> Uplink.Reason {
        .tls(error.message, isLasting: error.isLasting)
    }
}
