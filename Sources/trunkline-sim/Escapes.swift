import Framing
import Linux

/// The bytes that an argument spells with the escapes of C.
func unescaped(_ text: String) throws(UsageError) -> [UInt8] {
    guard let bytes = ByteString.parse(text) else {
        throw UsageError("'\(text)' has an escape that is none; there are \(ByteString.escapes)")
    }
    return bytes
}
