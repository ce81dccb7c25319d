import Glibc
import Testing

@testable import Systemd

/// Lines of the log, and readers that do not read.
struct JournalTests {
    /// Reads while the journal ends.
    ///
    /// - Returns: All lines that were not read yet.
    func finish(_ journal: Journal, _ pipe: Pipe) throws -> [String] {
        let reader = try Background { pipe.lines() }
        journal.close(atMost: .seconds(20))
        pipe.closeWriteEnd()
        return try reader.result()
    }

    @Test func `lines come in order, each by itself`() throws {
        let pipe = try Pipe()
        let journal = try Journal(writingTo: pipe.writeEnd)
        for number in 0..<100 { journal.log(.info, "line \(number)") }
        journal.close(atMost: .seconds(20))
        pipe.closeWriteEnd()
        #expect(pipe.lines() == (0..<100).map { "line \($0)" })
    }

    @Test func `where the journal has no socket each line begins with its level`() throws {
        let pipe = try Pipe()
        let journal = try Journal(writingTo: pipe.writeEnd, leadsToJournal: true)
        journal.log(.error, "e")
        journal.log(.warning, "w")
        journal.log(.notice, "n")
        journal.log(.info, "i")
        journal.close(atMost: .seconds(20))
        pipe.closeWriteEnd()
        #expect(pipe.lines() == ["<3>e", "<4>w", "<5>n", "<6>i"])
    }

    @Test func `the environment tells whether standard error leads to the journal`() async throws {
        await #expect(processExitsWith: .success) {
            let pipe = try Pipe()
            let before = dup(STDERR_FILENO)
            dup2(pipe.writeEnd, STDERR_FILENO)
            defer { dup2(before, STDERR_FILENO) }
            func socket(_ stream: String) -> String? {
                setenv("JOURNAL_STREAM", stream, 1)
                return JournalDestination.standardError(fields: [], lossID: "").socket
            }
            try #require(socket(pipe.name) == "/run/systemd/journal/socket")
            for stream in ["", "1", "1:2", ":", "0:0", pipe.name + "0", "0" + pipe.name] {
                try #require(socket(stream) == nil, "\(stream)")
            }
            unsetenv("JOURNAL_STREAM")
            try #require(JournalDestination.standardError(fields: [], lossID: "").socket == nil)
        }
    }

    @Test func `without the environment lines go to standard error`() async throws {
        await #expect(processExitsWith: .success) {
            let pipe = try Pipe()
            let before = dup(STDERR_FILENO)
            dup2(pipe.writeEnd, STDERR_FILENO)
            defer { dup2(before, STDERR_FILENO) }
            unsetenv("JOURNAL_STREAM")
            let journal = try Journal(fields: [], lossID: "")
            journal.log(.warning, "w")
            journal.close(atMost: .seconds(20))
            try #require(pipe.line() == "w")
        }
    }

    @Test func `control characters become spaces`() throws {
        let pipe = try Pipe()
        let journal = try Journal(writingTo: pipe.writeEnd)
        journal.log(.info, "a\nb\r\nc\u{1B}[31md\0e\u{7F}f\u{85}g\tä€")
        journal.close(atMost: .seconds(20))
        #expect(pipe.line() == "a b  c [31md e f g ä€")
    }

    @Test func `a reader that never reads blocks nobody, and what is dropped is counted and told`() throws {
        let pipe = try Pipe()
        let journal = try Journal(writingTo: pipe.writeEnd)
        let text = String(repeating: "x", count: 100)
        for number in 0..<5000 { journal.log(.info, "\(number) \(text)") }
        // It has returned; and so does this, although nothing more can be written.
        let start = ContinuousClock.now
        journal.close(atMost: .milliseconds(30))
        #expect(ContinuousClock.now - start >= .milliseconds(30))
        #expect(ContinuousClock.now - start < .seconds(60))

        // What was put off is written now.
        let lines = try finish(journal, pipe)
        let logged = lines.filter { $0.hasSuffix(text) }
        let told = lines.compactMap { line -> Int? in
            line.hasSuffix(" lines could not be logged") ? Int(line.prefix { $0 != " " }) : nil
        }
        #expect(told.count >= 1)
        #expect(told.reduce(0, +) + logged.count == 5000)
        #expect(1000..<5000 ~= logged.count)
        #expect(lines.count == logged.count + told.count)
        // Whatever was kept is in order.
        let numbers = logged.compactMap { Int($0.prefix { $0 != " " }) }
        #expect(numbers == numbers.sorted())
    }

    @Test func `dropped lines are told as soon as there is room`() throws {
        let pipe = try Pipe()
        let journal = try Journal(writingTo: pipe.writeEnd)
        let text = String(repeating: "x", count: 100)
        for number in 0..<5000 { journal.log(.info, "\(number) \(text)") }
        var isTold = false
        while !isTold, let line = pipe.line() {
            isTold = line.hasSuffix(" lines could not be logged")
            journal.log(.info, "more")
        }
        #expect(isTold)
        #expect(try finish(journal, pipe).last == "more")
    }

    @Test func `a descriptor that does not block loses nothing`() throws {
        let pipe = try Pipe()
        // As whoever shares a terminal may have set it.
        try #require(fcntl(pipe.writeEnd, F_SETFL, O_NONBLOCK) == 0)
        let journal = try Journal(writingTo: pipe.writeEnd)
        let text = String(repeating: "x", count: 1000)
        for number in 0..<500 { journal.log(.info, "\(number) \(text)") }
        journal.close(atMost: .milliseconds(30))
        #expect(try finish(journal, pipe) == (0..<500).map { "\($0) \(text)" })
    }

    @Test func `a reader that is gone does no harm`() async throws {
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_IGN)
            var ends: [Int32] = [-1, -1]
            try #require(pipe(&ends) == 0)
            close(ends[0])
            let journal = try Journal(writingTo: ends[1])
            for _ in 0..<10 { journal.log(.info, "nobody hears it") }
            journal.close(atMost: .seconds(20))
        }
    }
}
