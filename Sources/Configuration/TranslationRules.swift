import Framing

extension Decoding {
    /// Reports what cannot be a socket's own framing.
    mutating func checkTranslation(_ socket: SocketSettings, _ upstream: UpstreamSettings) {
        let key = "sockets.\(socket.name).framing"
        checkEscape(socket)
        guard let framing = socket.framing, isSound(key) else { return }
        checkSizes(framing, key: key, upstream)
        if framing.forSending != framing {
            let allowed =
                "allowed is a kind that divides messages by their bytes; none gives them as they are"
            refuse(key: key, effective: "\"line\"", allowed)
        }
        if !framing.isReversible {
            refuse(key: "\(key).strip", effective: "", "allowed is what can be put back before a message")
        }
        checkCommonSizes(socket, framing, upstream)
    }

    private mutating func checkEscape(_ socket: SocketSettings) {
        guard socket.unrepresentable == .escape, isSound("sockets.\(socket.name).framing") else { return }
        if case .line? = socket.framing { return }
        refuse(
            key: "sockets.\(socket.name).unrepresentable", effective: "\"escape\"",
            "allowed is skip or disconnect, for only a socket with framing: line has escapes")
    }
}
