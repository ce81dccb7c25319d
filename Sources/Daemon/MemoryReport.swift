import Bridge
public import Configuration
public import Linux

/// What `--show` says of the memory that a configuration can take: comments of YAML.
public struct MemoryReport: CustomStringConvertible, Sendable {
    public let description: String

    public init(_ configuration: Configuration, kernel: SocketBufferLimits) {
        let bound = MemoryBound(configuration)
        let buffer = "\(size(bound.buffer.bytes)), and \(size(bound.buffer.indexBytes)) for its index"
        let outbox = "\(size(bound.outbox.bytes)), and \(size(bound.outbox.indexBytes)) for its index"
        let clients = bound.clients.map { " each; max-clients is \($0)" } ?? " each, without max-clients"
        let dialogue =
            bound.dialogueBytes > 0
            ? ["  dialogue \(size(bound.dialogueBytes)) until a connection is ready"] : []
        let control = ControlService.longestMemory(configuration)
        let total =
            if let total = bound.total {
                size(total.addingReportingOverflow(control).overflow ? .max : total + control)
            } else {
                "\(size(bound.fixedBytes + control)), and that of the clients, who are as many as open files allow"
            }
        let lines = [
            "Memory, at the most:", "  buffer   \(buffer)", "  outbox   \(outbox)",
        ]
        let translations =
            bound.translationBytes > 0
            ? ["  framings \(size(bound.translationBytes)) for those that sockets have of their own"] : []
        let tls = bound.tlsBytes > 0 ? ["  TLS      \(size(bound.tlsBytes))"] : []
        let others = [
            "  clients  \(size(bound.clientBytes))\(clients)",
            "  control  \(size(control)) for \(ControlService.maximumConnections) that look at once",
            "  in all   \(total)",
            "Not in it: the program itself (about 10M), and the kernel's socket buffers:",
            "  upstream  \(size(kernel.tcpReceive)) received (net.ipv4.tcp_rmem), \(size(kernel.tcpSend)) sent (net.ipv4.tcp_wmem)",
            "  clients   \(size(kernel.unixSend)) each (net.core.wmem_default), and what their own sockets hold",
        ]
        description = (lines + translations + dialogue + tls + others).map { "# \($0)\n" }.joined()
    }
}

/// Rounded up to a tenth of the largest unit that fits: `4.0M`, `65.1K`.
private func size(_ bytes: Int?) -> String {
    guard let bytes else { return "an unknown size" }
    let (unit, letter) =
        bytes >= 1 << 30 ? (1 << 30, "G") : bytes >= 1 << 20 ? (1 << 20, "M") : (1 << 10, "K")
    let tenths = bytes / unit * 10 + (bytes % unit * 10 + unit - 1) / unit
    return "\(tenths / 10).\(tenths % 10)\(letter)"
}
