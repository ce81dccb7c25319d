import Control

/// A bridge, and its figures if it could be asked.
struct MetricsSubject {
    let name: String
    /// `nil` when that is not known.
    let isRunning: Bool?
    let description: Description?

    init(name: String, _ inquiry: Inquiry) {
        self.name = name
        switch inquiry {
        case .running(let found): (isRunning, description) = (true, found)
        case .notRunning: (isRunning, description) = (false, nil)
        case .failed: (isRunning, description) = (nil, nil)
        }
    }
}

/// What is measured in one way: all of it stands together.
struct MetricFamily {
    enum Kind: String {
        case gauge, counter, info, stateset
    }

    /// Without the suffixes that the kind demands.
    let name: String
    let kind: Kind
    let help: String
    let samples: @Sendable (MetricsSubject) -> [Sample]

    struct Sample {
        let labels: [(name: String, value: String)]
        let value: Double

        init(_ labels: [(name: String, value: String)] = [], _ value: Double) {
            self.labels = labels
            self.value = value
        }
    }
}

/// Metric families as text: OpenMetrics 1.0 (RFC draft-richih-opsawg-openmetrics), or Prometheus' format 0.0.4.
struct MetricsText {
    let isOpenMetrics: Bool

    func text(_ subjects: [MetricsSubject], _ families: [MetricFamily] = MetricFamily.all) -> String {
        families.map { text($0, subjects) }.joined() + (isOpenMetrics ? "# EOF\n" : "")
    }

    private func text(_ family: MetricFamily, _ subjects: [MetricsSubject]) -> String {
        // In the older format, the family is called what its samples are, and there are fewer kinds.
        let name = isOpenMetrics ? family.name : family.sampleName
        let kind = isOpenMetrics || family.kind == .counter ? family.kind : .gauge
        var head = ["# TYPE \(name) \(kind.rawValue)"]
        if isOpenMetrics, let unit = family.unit { head.append("# UNIT \(name) \(unit)") }
        head.append("# HELP \(name) \(escaped(family.help))")
        let samples = subjects.flatMap { subject in
            family.samples(subject).map { sample in
                let labels = [("bridge", subject.name)] + sample.labels.map { ($0.name, $0.value) }
                let list = labels.map { "\($0.0)=\"\(escaped($0.1))\"" }.joined(separator: ",")
                return "\(family.sampleName){\(list)} \(number(sample.value))"
            }
        }
        return samples.isEmpty ? "" : (head + samples).map { $0 + "\n" }.joined()
    }

    private func escaped(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar {
            case "\\": #"\\"#
            case "\"": #"\""#
            case "\n": #"\n"#
            default: "\(scalar)"
            }
        }.joined()
    }

    private func number(_ value: Double) -> String {
        Int(exactly: value).map(String.init) ?? "\(value)"
    }
}

extension MetricFamily {
    /// The end of the name, where it is a unit.
    var unit: String? { ["bytes", "seconds"].first { name.hasSuffix("_\($0)") } }

    var sampleName: String {
        switch kind {
        case .counter: "\(name)_total"
        case .info: "\(name)_info"
        case .gauge, .stateset: name
        }
    }
}
