import Framing

/// A Java server, as `DataInputStream.readByte` and `DataOutputStream.writeInt` make one.
enum JavaService {
    /// The text for a request: an action and an argument.
    static func answer(to request: ArraySlice<UInt8>) -> [UInt8] {
        let (action, argument) = (request[request.startIndex], request[request.startIndex + 1])
        return Array("action \(action), argument \(argument): ✓".utf8)
    }
}

extension Options {
    mutating func useJavaService() {
        framing = .length(LengthField(width: .four, order: .big))
        givenReceiveFraming = .fixed(size: 2)
        isSilent = true
        reply = .java
    }
}
