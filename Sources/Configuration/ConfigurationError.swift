/// One thing that is wrong with a configuration file.
public struct ConfigurationError: Error, Equatable, Sendable {
    /// The file's path, as it was given.
    public var file: String
    /// Line and column, from 1; `nil` if the file as a whole is meant.
    public var position: Position?
    /// The full key, as in `upstream.reconnect.min`; `nil` if no key is meant.
    public var key: String?
    /// What was found, and what is allowed.
    public var message: String

    /// A place in a file: columns count characters, not bytes.
    public struct Position: Equatable, Comparable, Sendable {
        public var line: Int
        public var column: Int

        public init(line: Int, column: Int) {
            self.line = line
            self.column = column
        }

        public static func < (a: Self, b: Self) -> Bool { (a.line, a.column) < (b.line, b.column) }
    }

    public init(file: String, position: Position?, key: String?, message: String) {
        self.file = file
        self.position = position
        self.key = key
        self.message = message
    }
}

extension ConfigurationError: CustomStringConvertible {
    /// `/etc/trunkline/ais.yaml:4:12: upstream.framing: found "lines"; allowed are line, fixed`, for example.
    public var description: String {
        var text = file
        if let position { text += ":\(position.line):\(position.column)" }
        if let key { text += ": \(key)" }
        return "\(text): \(message)"
    }
}

/// Everything that is wrong with a configuration file: at least one error, in the order of the file.
public struct ConfigurationErrors: Error, Equatable, Sendable {
    public var errors: [ConfigurationError]
    /// The file could not be read for a reason that is not its own, and may be over soon: descriptors or memory are short.
    public var mayPass: Bool

    public init(_ errors: [ConfigurationError], mayPass: Bool = false) {
        self.errors = errors
        self.mayPass = mayPass
    }
}

extension ConfigurationErrors: CustomStringConvertible {
    /// One line for each error.
    public var description: String { errors.map(\.description).joined(separator: "\n") }
}
