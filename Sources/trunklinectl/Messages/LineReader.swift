/// Divides what is read into lines, of which none is longer than a limit.
struct LineReader {
    private let limit: Int
    private var bytes: [UInt8] = []
    /// Where the next line begins, and how far its end has been looked for.
    private var start = 0
    private var looked = 0
    /// Of the line that was returned last; the first is 1.
    private(set) var number = 0

    init(limit: Int) { self.limit = limit }

    struct TooLong: Error, Equatable {
        let limit: Int
    }

    mutating func append(_ more: some Collection<UInt8>) {
        bytes.removeFirst(start)
        looked -= start
        start = 0
        bytes += more
    }

    /// - Returns: The next line, without the line feed that ends it; `nil` until it is whole.
    mutating func next() throws(TooLong) -> [UInt8]? {
        guard let end = bytes[looked...].firstIndex(of: 0x0A) else {
            looked = bytes.count
            guard looked - start <= limit else { return try take(looked, skipping: 0) }
            return nil
        }
        return try take(end, skipping: 1)
    }

    /// - Returns: What follows the last line feed, when nothing more is read; `nil` if nothing does.
    mutating func last() throws(TooLong) -> [UInt8]? {
        start < bytes.count ? try take(bytes.count, skipping: 0) : nil
    }

    private mutating func take(_ end: Int, skipping count: Int) throws(TooLong) -> [UInt8] {
        defer {
            start = end + count
            looked = start
        }
        number += 1
        guard end - start <= limit else { throw TooLong(limit: limit) }
        return Array(bytes[start..<end])
    }
}
