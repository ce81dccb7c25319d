import Control

extension MetricFamily {
    static let all: [MetricFamily] = bridge + uplink + traffic + troubles + sockets + clients

    // MARK: Of a bridge

    private static var bridge: [MetricFamily] {
        [
            MetricFamily(name: "trunkline_up", kind: .gauge, help: "Whether the bridge is running.") {
                subject in
                subject.isRunning.map { [Sample([], $0 ? 1 : 0)] } ?? []
            },
            MetricFamily(name: "trunkline_daemon", kind: .info, help: "The bridge's daemon.") { subject in
                guard let bridge = subject.description?.bridge else { return [] }
                return [Sample([("version", bridge.version)], 1)]
            },
            single("trunkline_start_time_seconds", .gauge, "When the daemon was started.") {
                seconds($0.since)
            },
            single("trunkline_buffer_used_bytes", .gauge, "Received, and needed by some client still.") {
                Double($0.buffer.used)
            },
            single("trunkline_buffer_size_bytes", .gauge, "What the buffer holds at the most.") {
                Double($0.buffer.size)
            },
            single("trunkline_outbox_used_bytes", .gauge, "What waits for the upstream.") {
                Double($0.outbox.used)
            },
            single("trunkline_outbox_size_bytes", .gauge, "What the outbox holds at the most.") {
                Double($0.outbox.size)
            },
        ]
    }

    private static var uplink: [MetricFamily] {
        let state = "trunkline_uplink_state"
        return [
            MetricFamily(name: state, kind: .stateset, help: "How the connection to the upstream is.") {
                subject in
                guard let uplink = subject.description?.bridge.uplink else { return [] }
                return UplinkDescription.State.allCases.map {
                    Sample([(state, $0.rawValue)], $0 == uplink.state ? 1 : 0)
                }
            },
            single("trunkline_uplink_state_since_seconds", .gauge, "When it came to that.") {
                seconds($0.uplink.since)
            },
            single(
                "trunkline_uplink_outage_start_seconds", .gauge,
                "Since when there has been no connection; 0 while there is one, or the last was complete."
            ) {
                $0.uplink.outageSince.map(seconds) ?? 0
            },
            single("trunkline_uplink_failed_attempts", .gauge, "Attempts in vain since the last connection.")
            {
                Double($0.uplink.attempts)
            },
            single("trunkline_uplink_connections", .counter, "Connections since the start.") {
                Double($0.uplink.connections)
            },
        ]
    }

    private static var traffic: [MetricFamily] {
        let directions: [(String, String, @Sendable (BridgeDescription) -> AmountDescription)] = [
            ("received", "Received from the upstream.", { $0.received }),
            ("sent", "Sent to the upstream.", { $0.sent }),
        ]
        return directions.flatMap { name, help, amount in
            [
                single("trunkline_\(name)_messages", .counter, help) {
                    Double(amount($0).messages)
                },
                single("trunkline_\(name)_bytes", .counter, help) {
                    Double(amount($0).bytes)
                },
            ]
        }
    }

    // MARK: Of its parts

    private static var troubles: [MetricFamily] {
        let kinds: [(String, String, @Sendable (CounterDescription) -> Int)] = [
            ("trunkline_troubles", "How often something was thrown away or went wrong.", { $0.times }),
            ("trunkline_discarded_messages", "Messages that were thrown away.", { $0.messages }),
            ("trunkline_discarded_bytes", "What was thrown away.", { $0.bytes }),
        ]
        return kinds.map { name, help, value in
            MetricFamily(name: name, kind: .counter, help: help) { subject in
                (subject.description?.bridge.counters ?? []).map {
                    Sample([("reason", $0.reason)], Double(value($0)))
                }
            }
        }
    }

    private static var sockets: [MetricFamily] {
        let kinds: [(String, String, @Sendable (SocketDescription) -> Int)] = [
            ("trunkline_socket_clients", "Connected clients.", { $0.clients }),
            (
                "trunkline_socket_accepting", "Whether new clients are accepted.",
                { $0.trouble == nil ? 1 : 0 }
            ),
        ]
        return kinds.map { name, help, value in
            MetricFamily(name: name, kind: .gauge, help: help) { subject in
                (subject.description?.bridge.sockets ?? []).map {
                    Sample([("socket", $0.name)], Double(value($0)))
                }
            }
        }
    }

    private static var clients: [MetricFamily] {
        let amounts: [(String, Kind, String, @Sendable (ClientDescription) -> AmountDescription)] = [
            ("lag", .gauge, "What the client has not been sent yet.", { $0.lag }),
            ("sent", .counter, "Sent to the client.", { $0.sent }),
            ("received", .counter, "Received from the client.", { $0.received }),
            ("missed", .counter, "What the client was never sent.", { $0.missed }),
        ]
        return amounts.flatMap { name, kind, help, amount in
            [
                client("trunkline_client_\(name)_messages", kind, help) {
                    Double(amount($0).messages)
                },
                client("trunkline_client_\(name)_bytes", kind, help) {
                    Double(amount($0).bytes)
                },
            ]
        }
    }

    private static func client(
        _ name: String, _ kind: Kind, _ help: String,
        _ value: @escaping @Sendable (ClientDescription) -> Double
    ) -> MetricFamily {
        MetricFamily(name: name, kind: kind, help: help) { subject in
            (subject.description?.clients ?? []).map { client in
                Sample(
                    [
                        ("client", "\(client.number)"), ("socket", client.socket), ("pid", "\(client.pid)"),
                        ("uid", "\(client.uid)"), ("command", client.command ?? ""),
                    ], value(client))
            }
        }
    }

    /// A family with one sample for each bridge.
    private static func single(
        _ name: String, _ kind: Kind, _ help: String,
        _ value: @escaping @Sendable (BridgeDescription) -> Double
    ) -> MetricFamily {
        MetricFamily(name: name, kind: kind, help: help) { subject in
            subject.description.map { [Sample([], value($0.bridge))] } ?? []
        }
    }

    private static func seconds(_ microseconds: Int) -> Double { Double(microseconds) / 1_000_000 }
}
