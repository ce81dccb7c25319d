import CLinux
import Glibc

/// One option of a program: what getopt_long(3) must know of it, and what `--help` tells.
public struct CommandOption: Sendable {
    /// The long name, without dashes.
    public let name: String
    /// The short name: one ASCII letter or digit.
    public let short: Character?
    /// What its value is called in the help; `nil` for an option without a value.
    public let value: String?
    public let help: String

    public init(_ name: String, short: Character? = nil, value: String? = nil, help: String) {
        self.name = name
        self.short = short
        self.value = value
        self.help = help
    }
}

/// A command line that does not follow the program's usage: what is wrong with it, in words for its user.
public struct UsageError: Error, Equatable, Sendable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}

/// A command line, divided into options and operands.
public struct CommandArguments: Sendable {
    /// An option that was given.
    public struct Given: Sendable {
        /// Which, as an index into the table.
        public let index: Int
        /// Its value; empty for an option without one.
        public let value: String
    }
    /// In the order of the command line.
    public private(set) var options: [Given] = []
    public private(set) var operands: [String] = []

    /// Parses as getopt_long(3) does: abbreviated names, `--name=value`, `-nvalue`, options after operands, `--`.
    ///
    /// getopt's state is global: for one thread at a time, once in a process.
    ///
    /// - Parameters:
    ///   - arguments: The program's name and what follows it.
    ///   - table: The options that there are.
    /// - Throws: What is wrong, for an unknown or ambiguous option, a missing value, or a value that is none.
    public init(_ arguments: [String], options table: [CommandOption]) throws(UsageError) {
        let argv = CStrings(arguments)
        let names = CStrings(table.map(\.name))
        var longOptions = unsafe table.indices.map { unsafe names.longOption($0, of: table[$0]) }
        unsafe longOptions.append(option())
        let shortOptions =
            ":"
            + table.map { option in option.short.map { option.value == nil ? "\($0)" : "\($0):" } ?? "" }
            .joined()
        tl_getopt_quiet()
        while true {
            let code = unsafe getopt_long(Int32(arguments.count), argv.base, shortOptions, longOptions, nil)
            if code == -1 { break }
            guard code != colon, code != questionMark, let index = Self.index(code, in: table) else {
                throw Self.fault(code, at: argv[Int(tl_optind()) - 1], table)
            }
            let value = unsafe tl_optarg().map { unsafe String(cString: $0) }
            options.append(Given(index: index, value: value ?? ""))
        }
        // getopt has moved all operands behind the options.
        operands = (Int(tl_optind())..<arguments.count).map { argv[$0] }
    }

    private static func index(_ code: Int32, in table: [CommandOption]) -> Int? {
        if code >= firstLongCode { return Int(code - firstLongCode) }
        return table.firstIndex { $0.short?.asciiValue.map(Int32.init) == code }
    }

    private static func fault(_ code: Int32, at argument: String, _ table: [CommandOption]) -> UsageError {
        let culprit = tl_optopt()
        guard culprit != 0 else {
            let name = argument.drop { $0 == "-" }.prefix { $0 != "=" }
            let matches = table.filter { $0.name.hasPrefix(name) }.map { "'--\($0.name)'" }
            guard matches.count > 1 else { return UsageError("there is no option '--\(name)'") }
            return UsageError("'--\(name)' could be \(matches.joined(separator: " or "))")
        }
        if culprit >= firstLongCode {
            let option = table[Int(culprit - firstLongCode)]
            guard let value = option.value else {
                return UsageError("option '--\(option.name)' takes no value")
            }
            return UsageError("option '--\(option.name)' needs a value: \(value)")
        }
        let letter = Unicode.Scalar(UInt8(truncatingIfNeeded: culprit))
        return code == colon
            ? UsageError("option '-\(letter)' needs a value") : UsageError("there is no option '-\(letter)'")
    }
}

/// What getopt_long(3) returns for a missing value, an unknown option, and the first long option of a table.
private let colon: Int32 = 0x3A
private let questionMark: Int32 = 0x3F
private let firstLongCode: Int32 = 256

extension CStrings {
    /// Borrows the name: for as long as this object lives.
    fileprivate func longOption(_ index: Int, of command: CommandOption) -> option {
        unsafe option(
            name: base[index], has_arg: command.value == nil ? no_argument : required_argument, flag: nil,
            val: firstLongCode + Int32(index))
    }
}

extension CommandOption {
    /// A table of options as `--help` shows it.
    public static func help(for table: [CommandOption]) -> String {
        table.map { option in
            let short = option.short.map { "-\($0), " } ?? "    "
            let value = option.value.map { " \($0)" } ?? ""
            return helpRow("\(short)--\(option.name)\(value)", option.help)
        }.joined()
    }

    /// One row of a help text: at most 80 columns, what is explained from column 2, the explanation from column 28.
    public static func helpRow(_ head: String, _ text: String) -> String {
        let (head, column) = ("  " + head, 28)
        let rest = wrapped(text, indent: column)
        guard head.count < column - 1 else { return "\(head)\n\(rest)" }
        return head + rest.dropFirst(head.count)
    }

    /// A paragraph in lines of at most 80 columns.
    public static func wrapped(_ text: String, indent: Int) -> String {
        let margin = String(repeating: " ", count: indent)
        var (lines, line) = ("", "")
        for word in text.split(separator: " ") {
            if !line.isEmpty && indent + line.count + 1 + word.count > 80 {
                lines += "\(margin)\(line)\n"
                line = ""
            }
            line += line.isEmpty ? "\(word)" : " \(word)"
        }
        return "\(lines)\(margin)\(line)\n"
    }
}
