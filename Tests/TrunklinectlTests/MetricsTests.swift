import Control
import Testing

@testable import trunklinectl

/// What `metrics` prints.
struct MetricsTests {
    private let subjects = [
        MetricsSubject(
            name: "ais",
            .running(
                Description(
                    bridge: Sample.bridge(
                        counters: Sample.counters([
                            "cut-off": CounterDescription(
                                reason: "cut-off", times: 12, messages: 11, bytes: 210)
                        ]), trouble: "full"),
                    clients: [
                        Sample.client(1, lag: 20, command: "a\\b\"c\nd\u{1B}é"),
                        Sample.client(2, command: nil),
                    ]))),
        MetricsSubject(name: "chat", .notRunning),
        MetricsSubject(name: "hung", .failed(Failure("it has not answered"))),
        MetricsSubject(
            name: "odd \"\\\n", .running(Description(bridge: Sample.bridge(), clients: []))),
    ]

    private func values(_ metrics: OpenMetrics, _ name: String, _ labels: [String: String]) -> [Double] {
        metrics.samples.filter { sample in
            sample.name == name && labels.allSatisfy { sample.labels[$0.key] == $0.value }
        }.map(\.value)
    }

    @Test func `OpenMetrics is as it has to be`() throws {
        let metrics = try OpenMetrics(MetricsText(isOpenMetrics: true).text(subjects))
        #expect(values(metrics, "trunkline_up", ["bridge": "ais"]) == [1])
        #expect(values(metrics, "trunkline_up", ["bridge": "chat"]) == [0])
        #expect(values(metrics, "trunkline_up", ["bridge": "odd \"\\\n"]) == [1])
        #expect(metrics.samples.count { $0.labels["bridge"] == "chat" } == 1)
        // Whether that one runs is not known.
        #expect(!metrics.samples.contains { $0.labels["bridge"] == "hung" })
        #expect(values(metrics, "trunkline_daemon_info", ["bridge": "ais", "version": "0.1.0"]) == [1])
        #expect(values(metrics, "trunkline_received_bytes_total", ["bridge": "ais"]) == [1_234_567])
        #expect(
            values(metrics, "trunkline_discarded_messages_total", ["bridge": "ais", "reason": "cut-off"]) == [
                11
            ])
        #expect(values(metrics, "trunkline_troubles_total", ["bridge": "ais", "reason": "closed"]) == [0])
        #expect(values(metrics, "trunkline_socket_accepting", ["bridge": "ais", "socket": "watch"]) == [0])
        let states = metrics.samples.filter {
            $0.name == "trunkline_uplink_state" && $0.labels["bridge"] == "ais" && $0.value == 1
        }
        #expect(states.map { $0.labels["trunkline_uplink_state"] } == ["ready"])
        #expect(metrics.types["trunkline_uplink_state"] == "stateset")
        let client = ["command": "a\\b\"c\nd\u{1B}é", "client": "1", "pid": "1001", "uid": "1000"]
        #expect(values(metrics, "trunkline_client_lag_bytes", client) == [20])
        #expect(values(metrics, "trunkline_start_time_seconds", ["bridge": "ais"]) == [1_795_950_000])
    }

    @Test func `without a bridge there is nothing but the end`() throws {
        #expect(MetricsText(isOpenMetrics: true).text([]) == "# EOF\n")
        #expect(MetricsText(isOpenMetrics: false).text([]) == "")
    }

    /// The text format 0.0.4: the types that it knows, each before the samples of the same name.
    @Test func `the format of Prometheus has the same samples`() throws {
        let text = MetricsText(isOpenMetrics: false).text(subjects)
        var type: [Substring] = []
        var samples: [Substring] = []
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count > 1 else { throw OpenMetrics.Invalid(line: 0, why: "\(line)") }
            switch words[1] {
            case "TYPE" where words[0] == "#":
                #expect(words.count == 4 && ["gauge", "counter"].contains(words[3]))
                type = words
            case "HELP" where words[0] == "#": #expect(words[2] == type[2])
            default:
                #expect(words[0] != "#", "\(line)")
                #expect(line.prefix { $0 != "{" } == type[2])
                samples.append(line)
            }
        }
        let open = MetricsText(isOpenMetrics: true).text(subjects).split(separator: "\n")
        #expect(samples == open.filter { !$0.hasPrefix("#") })
    }

    @Test(arguments: [
        ("", "no end"), ("# EOF", "no end"), ("# EOF\n\n", "no end"), ("a 1\n# EOF\n", "family"),
        ("# TYPE a gauge\n\n# EOF\n", "value"), ("# TYPE a untyped\n# EOF\n", "type"),
        ("# TYPE a counter\na 1\n# EOF\n", "name"), ("# TYPE a counter\na_total -1\n# EOF\n", "negative"),
        ("# TYPE a gauge\n# TYPE a gauge\n# EOF\n", "type"),
        ("# TYPE a gauge\n# UNIT a bytes\n# EOF\n", "unit"),
        ("# TYPE a gauge\na 1\n# HELP a b\n# EOF\n", "metadata after samples"),
        ("# TYPE a gauge\n# TYPE b gauge\n# TYPE a gauge\n# EOF\n", "two families of one name"),
        ("# TYPE a gauge\na{b=\"\\x\"} 1\n# EOF\n", "escape"),
        ("# TYPE a gauge\na{b=\"1\"\n# EOF\n", "labels"),
        ("# TYPE a gauge\na{b=\"1\",b=\"2\"} 1\n# EOF\n", "label"),
        ("# TYPE a gauge\na 1\na 2\n# EOF\n", "twice"),
        ("# TYPE a stateset\na{b=\"1\"} 1\n# EOF\n", "state"), ("# TYPE a gauge\na x\n# EOF\n", "value"),
    ])
    func `the parser of this test refuses what is wrong`(text: String, why: String) {
        let error = #expect(throws: OpenMetrics.Invalid.self) { try OpenMetrics(text) }
        #expect(error?.why == why)
    }
}
