/// One file on its way to a `Configuration`: what every value is read with, and what was found wrong so far.
struct Decoding {
    let file: String
    /// The bridge's name.
    let bridge: String
    /// Where sockets are that name no path.
    let runtimeDirectory: String

    private(set) var errors: [ConfigurationError] = []
    /// The key being read, part by part.
    private var path: [String] = []
    /// What the file gives, or the protocol that it names, by full key.
    private var given: [String: Node] = [:]

    init(file: String, bridge: String, runtimeDirectory: String) {
        self.file = file
        self.bridge = bridge
        self.runtimeDirectory = runtimeDirectory
    }

    // MARK: Keys

    /// From here on `name` is being read, until `leave`.
    mutating func enter(_ name: String, _ node: Node?) {
        path.append(name)
        if let node { given[path.joined(separator: ".")] = node }
    }

    mutating func leave() { path.removeLast() }

    // MARK: Errors

    /// Reports an error of the key being read, or of the full key `key`.
    mutating func report(_ message: String, at position: Position?, key: String? = nil) {
        let key = key ?? (path.isEmpty ? nil : path.joined(separator: "."))
        errors.append(ConfigurationError(file: file, position: position, key: key, message: message))
    }

    /// Reports a value that does not fit, once; `problem` says what of it does not, as in `without a port`.
    mutating func refuse(_ node: Node, allowed: Allowed, problem: String? = nil) {
        if case .refused = node.content { return }
        report("found \(node.found)\(problem.map { ", \($0)" } ?? ""); \(allowed)", at: node.position)
    }

    mutating func report(_ problems: [Document.Problem]) {
        for problem in problems { report(problem.message, at: problem.position, key: problem.key) }
    }

    /// Reports a key that the mapping being read does not know; `owner` says where it is not known, as in
    /// ` of the kind delimiter`, and may be empty.
    ///
    /// - Returns: The key of the mapping that was most likely meant.
    mutating func reportUnknown(_ entry: Node.Entry, known: [String], owner: String) -> String? {
        path.append(keyPart(entry.name))
        defer { path.removeLast() }
        // The control socket is where and what it is by its kind: what other sockets have is no advice.
        let elsewhere =
            path.first == "control" ? [] : KeyReference.paths.filter { $0.hasSuffix(".\(entry.name)") }
        let meant = nearest(to: entry.name, among: known)
        let isOwn = elsewhere.contains(path.joined(separator: "."))
        let advice =
            if let meant {
                "did you mean '\(meant)'?"
            } else if !isOwn && (1...(owner.isEmpty ? 2 : 1)).contains(elsewhere.count) {
                "did you mean \(elsewhere.map { "'\($0)'" }.joined(separator: " or "))?"
            } else {
                "\(Allowed(known))"
            }
        report("unknown key\(owner); \(advice)", at: entry.position)
        return meant
    }

    // MARK: Contradictions

    /// Whether nothing was found wrong with a key, with what it is part of, or with its parts.
    func isSound(_ key: String) -> Bool {
        errors.allSatisfy { error in
            guard let wrong = error.key else { return true }
            return wrong != key && !wrong.hasPrefix("\(key).") && !key.hasPrefix("\(wrong).")
        }
    }

    /// Whether the file itself gives a key.
    func isGiven(_ key: String) -> Bool { isSet(key) && preset(of: key) == nil }

    /// Whether the file or its protocol gives a key.
    func isSet(_ key: String) -> Bool { given[key] != nil }

    /// The protocol that supplies a key.
    private func preset(of key: String) -> String? { given[key]?.preset }

    /// Reports what contradicts other keys.
    ///
    /// - Parameters:
    ///   - key: The key that is blamed.
    ///   - effective: Is shown if its value is not given.
    ///   - allowed: A whole phrase, as in `allowed is at most 512K`.
    ///   - others: The keys that it contradicts: where the file does not give them, somebody must tell who does.
    ///   - hint: What is told last, as in `; did you mean 'x'?`.
    mutating func refuse(
        key: String, effective: String, _ allowed: String, against others: [String] = [], hint: String = ""
    ) {
        var place = key[...]
        while given[String(place)] == nil, let dot = place.lastIndex(of: ".") { place = place[..<dot] }
        var found = given[key].map(\.found) ?? "\(effective) (the default)"
        if let preset = preset(of: key) { found += " (set by protocol \(preset))" }
        let origins = others.compactMap { other in
            preset(of: other).map { "; protocol \($0) sets \(other)" }
        }
        let node = given[String(place)] ?? others.compactMap { given[$0] }.first
        report("found \(found); \(allowed)\(origins.joined())\(hint)", at: node?.position, key: key)
    }
}

/// What an error says is allowed: `allowed is A`, or `allowed are A, B`.
struct Allowed: CustomStringConvertible, Sendable {
    private let choices: [String]

    init(_ choices: [String]) { self.choices = choices }
    init(_ phrase: String) { choices = [phrase] }

    var description: String {
        "allowed \(choices.count == 1 ? "is" : "are") \(choices.joined(separator: ", "))"
    }
}

/// The candidate that a misspelt name most likely means, if one is near enough.
public func nearest(to name: String, among candidates: [String]) -> String? {
    let name = Array(name.utf8)
    guard (1...40).contains(name.count) else { return nil }
    let rated = candidates.map { (candidate: $0, distance: distance(name, Array($0.utf8))) }
    guard let best = rated.min(by: { $0.distance < $1.distance }) else { return nil }
    return best.distance <= max(1, best.candidate.utf8.count / 3) ? best.candidate : nil
}

/// How many bytes must be inserted, removed, replaced or swapped with their neighbour to turn `a` into `b`.
private func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    var before = Array(repeating: 0, count: b.count + 1)
    var last = Array(0...b.count)
    for i in a.indices {
        var row = [i + 1]
        for j in b.indices {
            var best = min(last[j] + (a[i] == b[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
            if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, before[j - 1] + 1) }
            row.append(best)
        }
        (before, last) = (last, row)
    }
    return last[b.count]
}
