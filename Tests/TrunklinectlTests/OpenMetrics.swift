/// Reads OpenMetrics text as its specification has it, and forgives nothing
/// (https://prometheus.io/docs/specs/om/open_metrics_spec).
struct OpenMetrics {
    struct Invalid: Error, Equatable {
        let line: Int
        let why: String
    }

    struct Sample: Equatable {
        let name: String
        let labels: [String: String]
        let value: Double
    }

    private struct Family {
        let name: String
        var type: String?
        var unit: String?
        var hasHelp = false
        var hasSamples = false
    }

    private(set) var samples: [Sample] = []
    private(set) var types: [String: String] = [:]
    private var family: Family?
    private var line = 0

    init(_ text: String) throws(Invalid) {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.popLast() == "", lines.popLast() == "# EOF" else { throw fault("no end") }
        for text in lines {
            line += 1
            try text.hasPrefix("# ") ? metadata(text.dropFirst(2)) : sample(text)
        }
    }

    private func fault(_ why: String) -> Invalid { Invalid(line: line, why: why) }

    private mutating func metadata(_ text: Substring) throws(Invalid) {
        let words = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false).map(
            String.init)
        guard words.count == 3, isName(words[1]) else { throw fault("no metadata") }
        if family?.name != words[1] {
            guard types[words[1]] == nil else { throw fault("two families of one name") }
            family = Family(name: words[1])
            types[words[1]] = "unknown"
        }
        guard var current = family, !current.hasSamples else { throw fault("metadata after samples") }
        switch words[0] {
        case "TYPE":
            let known = ["gauge", "counter", "info", "stateset"]
            guard current.type == nil, known.contains(words[2]) else { throw fault("type") }
            current.type = words[2]
            types[current.name] = words[2]
        case "UNIT":
            guard current.unit == nil, current.name.hasSuffix("_\(words[2])") else { throw fault("unit") }
            current.unit = words[2]
        case "HELP":
            guard !current.hasHelp else { throw fault("help") }
            _ = try unescaped(words[2])
            current.hasHelp = true
        default: throw fault("no metadata")
        }
        family = current
    }

    private mutating func sample(_ text: Substring) throws(Invalid) {
        var rest = text
        let name = String(rest.prefix { $0 != "{" && $0 != " " })
        rest = rest.dropFirst(name.count)
        let labels = rest.hasPrefix("{") ? try labels(&rest) : [:]
        guard rest.hasPrefix(" "), let value = Double(rest.dropFirst()) else { throw fault("value") }
        guard isName(name), let current = family, let type = current.type else { throw fault("family") }
        let suffix = ["counter": "_total", "info": "_info"][type] ?? ""
        guard name == current.name + suffix else { throw fault("name") }
        switch type {
        case "counter": guard value >= 0 else { throw fault("negative") }
        case "info": guard value == 1 else { throw fault("info") }
        case "stateset":
            guard value == 0 || value == 1, labels[name] != nil else { throw fault("state") }
        default: break
        }
        let sample = Sample(name: name, labels: labels, value: value)
        guard !samples.contains(where: { $0.name == name && $0.labels == labels }) else {
            throw fault("twice")
        }
        samples.append(sample)
        family?.hasSamples = true
    }

    private func labels(_ rest: inout Substring) throws(Invalid) -> [String: String] {
        var labels: [String: String] = [:]
        rest = rest.dropFirst()
        while true {
            let name = String(rest.prefix { $0 != "=" })
            rest = rest.dropFirst(name.count)
            guard isName(name), !name.contains(":"), labels[name] == nil, rest.hasPrefix("=\"") else {
                throw fault("label")
            }
            rest = rest.dropFirst(2)
            var (value, isEscaped) = ("", false)
            while let character = rest.popFirst(), isEscaped || character != "\"" {
                isEscaped = !isEscaped && character == "\\"
                value.append(character)
            }
            labels[name] = try unescaped(value)
            switch rest.popFirst() {
            case ",": continue
            case "}": return labels
            default: throw fault("labels")
            }
        }
    }

    private func unescaped(_ text: String) throws(Invalid) -> String {
        var (result, rest) = ("", text[...])
        while let character = rest.popFirst() {
            guard character == "\\" else {
                guard character != "\"" else { throw fault("quote") }
                result.append(character)
                continue
            }
            switch rest.popFirst() {
            case "\\": result.append("\\")
            case "\"": result.append("\"")
            case "n": result.append("\n")
            default: throw fault("escape")
            }
        }
        return result
    }

    private func isName(_ text: String) -> Bool {
        text.wholeMatch(of: #/[a-zA-Z_:][a-zA-Z0-9_:]*/#) != nil
    }
}
