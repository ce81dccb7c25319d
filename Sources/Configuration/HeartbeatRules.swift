import Framing

extension Decoding {
    /// Reports what cannot be a heartbeat, or the answer to one.
    mutating func checkHeartbeat(_ upstream: UpstreamSettings) {
        guard let heartbeat = upstream.heartbeat, isSound("upstream.heartbeat") else { return }
        checkBeat(heartbeat.bytes, upstream)
        if let answer = heartbeat.answer {
            checkAnswer(answer, upstream)
        } else if heartbeat.hidesAnswers {
            refuse(
                key: "upstream.heartbeat.hide", effective: "\"yes\"",
                "allowed with expect only, which tells what is kept from clients")
        }
    }

    /// What is no whole message would be one with what a client sends next.
    private mutating func checkBeat(_ bytes: [UInt8], _ upstream: UpstreamSettings) {
        let own = isSet("upstream.send-framing")
        let framing = own ? "upstream.send-framing" : "upstream.framing"
        guard isSound(framing), !upstream.sendFraming.isWhole(bytes) else { return }
        var hint = ""
        if let end = upstream.sendFraming.missingEnd(of: bytes) {
            let whole = ByteString.print(bytes + end)
            hint =
                printable(whole) == whole
                ? "; did you mean '\(whole)'?" : "; did you forget '\(ByteString.print(end))' at its end?"
        }
        refuse(
            key: "upstream.heartbeat.send", effective: "",
            "allowed are whole messages of \(own ? "send-framing" : "framing") (\(upstream.sendFraming.kind)), for"
                + " anything else would be glued to what a client sends next",
            against: [framing], hint: hint)
    }

    /// An answer that no message can be would let every connection end for want of it.
    private mutating func checkAnswer(_ answer: [UInt8], _ upstream: UpstreamSettings) {
        guard isSound("upstream.framing"), isSound("upstream.max-message") else { return }
        let end: [UInt8]? =
            switch upstream.framing {
            case .line: [0x0A]
            case .delimiter(let end), .block(_, let end): end
            default: nil
            }
        var limit = upstream.maxMessage
        if let sizes = upstream.framing.payloadSizes { limit = min(limit, sizes.upperBound) }
        let (allowed, reason): (String, String)
        if let end, answer.firstRange(of: end) != nil {
            allowed = "allowed is the beginning of a message, without what ends it"
            reason = "upstream.framing"
        } else if answer.count > limit {
            allowed = "allowed is at most \(Size.print(limit)), as long as a message can be"
            reason = limit < upstream.maxMessage ? "upstream.framing" : "upstream.max-message"
        } else {
            return
        }
        let found = printable(ByteString.print(answer))
        refuse(
            key: "upstream.heartbeat.expect", effective: "\"\(found)\"", allowed,
            against: [reason])
    }
}
