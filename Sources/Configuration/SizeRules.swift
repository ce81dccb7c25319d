import Framing

extension Decoding {
    /// Reports a framing in which no message can be: neither of its own, nor within max-message.
    mutating func checkSizes(_ framing: Framing, key: String, _ upstream: UpstreamSettings) {
        guard isSound(key) else { return }
        guard let sizes = framing.payloadSizes else { return reportImpossible(framing, key: key) }
        guard isSound("upstream.max-message") else { return }
        checkFixedSize(framing, key: key, upstream)
        guard isSound(key), sizes.lowerBound > upstream.maxMessage else { return }
        let least = sizes.lowerBound
        refuse(
            key: key, effective: "",
            "allowed is one whose messages can be within max-message (\(Size.print(upstream.maxMessage))): these"
                + " have at least \(Size.print(least)) bytes", against: ["upstream.max-message"])
    }

    /// What is counted can never reach the end of what must be there.
    private mutating func reportImpossible(_ framing: Framing, key: String) {
        let adjust = isGiven("\(key).adjust") ? "adjust" : "strip"
        refuse(
            key: "\(key).\(adjust)", effective: "",
            "allowed is what leaves something to count: with bytes and strip as they are, no message could be valid"
        )
    }

    /// Reports a socket's own framing in which none of the upstream's messages can be.
    mutating func checkCommonSizes(_ socket: SocketSettings, _ framing: Framing, _ upstream: UpstreamSettings)
    {
        let key = "sockets.\(socket.name).framing"
        guard isSound(key), isSound("upstream.framing"), let own = framing.payloadSizes,
            let received = upstream.framing.payloadSizes, !own.overlaps(received)
        else { return }
        refuse(
            key: key, effective: "",
            "allowed is one that can carry what comes in upstream.framing: messages of \(words(received)), and"
                + " these have \(words(own))", against: ["upstream.framing"])
    }

    private func words(_ sizes: ClosedRange<Int>) -> String {
        let (least, most) = (Size.print(sizes.lowerBound), Size.print(sizes.upperBound))
        if sizes.upperBound == sizes.lowerBound { return "\(least) bytes" }
        return sizes.upperBound > 1 << 30 ? "at least \(least) bytes" : "\(least) to \(most) bytes"
    }

    private mutating func checkFixedSize(_ framing: Framing, key: String, _ upstream: UpstreamSettings) {
        guard case .fixed(let size) = framing, size > upstream.maxMessage else { return }
        let allowed = "allowed is at most max-message (\(Size.print(upstream.maxMessage)))"
        refuse(
            key: "\(key).size", effective: Size.print(size), allowed, against: ["upstream.max-message"])
    }
}
