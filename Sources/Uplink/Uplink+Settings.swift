extension Uplink {
    public struct Settings: Equatable, Sendable {
        /// Tried in turn; at least one.
        public var endpoints: [Endpoint]
        /// The most time for one look-up, one connection or one TLS handshake; `nil` is no limit.
        public var connectTimeout: Duration?
        /// A TLS handshake follows each connection.
        public var isSecured: Bool
        /// The most time for each step of the dialogue that comes before everything else.
        public var greeting: [Duration]
        public var reconnect: Backoff.Settings
        public var failover: Failover
        /// A connection to another endpoint than the first is given up for it after so long; `nil` is never.
        public var failBack: Duration?
        /// How long after the end of a connection that was complete the next one is opened.
        public var rest: Duration

        public init(
            endpoints: [Endpoint], connectTimeout: Duration?, reconnect: Backoff.Settings,
            isSecured: Bool = false, greeting: [Duration] = [], failover: Failover = .inOrder,
            failBack: Duration? = nil, rest: Duration = .zero
        ) {
            self.endpoints = endpoints
            self.connectTimeout = connectTimeout
            self.isSecured = isSecured
            self.greeting = greeting
            self.reconnect = reconnect
            self.failover = failover
            self.failBack = failBack
            self.rest = rest
        }
    }

    /// In which order an attempt goes through the endpoints.
    public enum Failover: String, Equatable, Sendable, CaseIterable {
        /// Each begins with the first.
        case inOrder = "in-order"
        /// Drawn anew for each attempt.
        case random
    }
}
