import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Linux

/// Who gets a socket in the file system, and what others see of it meanwhile.
@Suite(.timeLimit(.minutes(minutesToHang)))
struct SocketFileTests {
    private static let rounds = 1000

    /// Two who take the same socket at the same moment, again and again. Whoever got it keeps it until the other knows.
    private final class Rivals: Sendable {
        let told = Mutex([[SocketFileError?]](repeating: [], count: rounds))
        let finished = Atomic(0)
        private let arrivals = Atomic(0)

        /// Goes on when both are here for the time of that number.
        private func meet(_ number: Int) {
            arrivals.add(1, ordering: .sequentiallyConsistent)
            while arrivals.load(ordering: .sequentiallyConsistent) < 2 * number { sched_yield() }
        }

        func run(path: (Int) -> String) {
            for round in 0..<rounds {
                meet(2 * round + 1)
                do throws(SocketFileError) {
                    let file = try Self.take(path(round))
                    told.withLock { $0[round].append(nil) }
                    meet(2 * round + 2)
                    file.remove()
                } catch {
                    told.withLock { $0[round].append(error) }
                    meet(2 * round + 2)
                }
            }
            finished.add(1, ordering: .sequentiallyConsistent)
        }

        /// Whoever wins writes its number a moment after it has taken the lock; where it stands still in between, for longer
        /// than the other waits for that, the other asks again.
        private static func take(_ path: String) throws(SocketFileError) -> SocketFile {
            let deadline = ContinuousClock.now + .seconds(20) * slowdown
            while true {
                let start = ContinuousClock.now
                do throws(SocketFileError) {
                    return try SocketFile(path: path, mode: 0o660, group: nil)
                } catch {
                    let end = ContinuousClock.now
                    guard error == .inUse(path: path, pid: nil), end - start >= .milliseconds(100),
                        end < deadline
                    else { throw error }
                }
            }
        }
    }

    /// A socket that nobody listens on any more, and a lock file with the number of a process that cannot be.
    private static func leaveBehind(_ path: String) throws {
        let socket = try FileDescriptor.streamSocket(family: AF_UNIX)
        try socket.bind(to: .unix(path: path))
        try FileDescriptor.appending(to: path + ".lock").writeAll(Array("4194305\n".utf8).span)
    }

    /// In a process of their own, for each changes the umask for a moment.
    @Test(arguments: [false, true])
    func `of two at once exactly one wins, a thousand times, and the other is told who`(isStale: Bool) async {
        await #expect(processExitsWith: .success) { [isStale] in
            let directory = try TemporaryDirectory()
            let root = directory.path
            let path: @Sendable (Int) -> String = { "\(root)/\($0)" }
            if isStale { for round in 0..<Self.rounds { try Self.leaveBehind(path(round)) } }
            let rivals = Rivals()
            for _ in 0..<2 { try onThread { rivals.run(path: path) } }
            while rivals.finished.load(ordering: .sequentiallyConsistent) < 2 { _ = poll(nil, 0, 1) }
            for (round, told) in rivals.told.withLock({ $0 }).enumerated() {
                #expect(told.count { $0 == nil } == 1)
                let errors = told.compactMap { $0 }
                #expect(errors == [.inUse(path: path(round), pid: getpid())], "round \(round)")
            }
        }
    }

    /// What someone sees who looks at a path all the time.
    private final class Watcher: Sendable {
        struct Sight: Hashable {
            let mode: mode_t
            let group: gid_t
        }
        let sights = Mutex<Set<Sight>>([])
        let isOver = Atomic(false)
        let hasEnded = Atomic(false)

        /// Only what two looks in a row agree on was ever so: a look takes the group a moment before the mode, and may fall
        /// between two changes.
        func run(path: String) {
            var last: (inode: ino_t, sight: Sight)?
            while !isOver.load(ordering: .relaxed) {
                var status = stat()
                guard lstat(path, &status) == 0 else { continue }
                let sight = Sight(mode: status.st_mode & 0o7777, group: status.st_gid)
                if let last, last == (status.st_ino, sight) { _ = sights.withLock { $0.insert(sight) } }
                last = (status.st_ino, sight)
            }
            hasEnded.store(true, ordering: .releasing)
        }
    }

    /// Makes a socket again and again, and tells everything that was seen of it: of the first one also how it is in the end,
    /// if it is ever as it should be.
    private static func sights(mode: UInt32, group: UInt32?) throws -> Set<Watcher.Sight> {
        let directory = try TemporaryDirectory()
        let path = directory("socket")
        let watcher = Watcher()
        try onThread { watcher.run(path: path) }
        let due = Watcher.Sight(mode: mode, group: group ?? getegid())
        let deadline = ContinuousClock.now + .seconds(20) * slowdown
        for _ in 0..<500 {
            let file = try SocketFile(path: path, mode: mode, group: group)
            while !watcher.sights.withLock({ $0.contains(due) }), ContinuousClock.now < deadline {
                sched_yield()
            }
            file.remove()
        }
        watcher.isOver.store(true, ordering: .relaxed)
        while !watcher.hasEnded.load(ordering: .acquiring) { sched_yield() }
        return watcher.sights.withLock { $0 }
    }

    @Test(arguments: [0o660, 0o666, 0o600, 0o622] as [UInt32])
    func `without a group of its own a socket has its mode from the first, whatever the umask`(mode: UInt32)
        async
    {
        await #expect(processExitsWith: .success) { [mode] in
            umask(0o077)
            let sights = try Self.sights(mode: mode, group: nil)
            #expect(sights == [Watcher.Sight(mode: mode, group: getegid())])
            #expect(umask(0) == 0o077, "the process's own is as before")
        }
    }

    @Test(arguments: [0o660, 0o666, 0o620] as [UInt32])
    func `until a socket has its group, it is its owner's alone`(mode: UInt32) async {
        await #expect(processExitsWith: .success) { [mode] in
            umask(0)
            let group = geteuid() == 0 ? 1 : getegid()
            let sights = try Self.sights(mode: mode, group: group)
            #expect(sights.contains(Watcher.Sight(mode: mode, group: group)))
            for sight in sights {
                #expect(sight.mode & ~mode == 0)
                #expect(sight.group == group || sight.mode & 0o077 == 0, "\(sight)")
            }
        }
    }

    @Test(arguments: [S_IFDIR, S_IFIFO, S_IFSOCK, S_IFLNK])
    func `what is no lock file stands in the way, and is left alone`(type: mode_t) throws {
        let directory = try TemporaryDirectory()
        let (path, lock) = (directory("socket"), directory("socket.lock"))
        switch type {
        case S_IFDIR: #expect(mkdir(lock, 0o700) == 0)
        case S_IFIFO: #expect(mkfifo(lock, 0o600) == 0)
        case S_IFSOCK: _ = try FileDescriptor.listening(on: .unix(path: lock))
        default: #expect(symlink("elsewhere", lock) == 0)
        }
        #expect(throws: SocketFileError.notALock(path: path)) {
            _ = try SocketFile(path: path, mode: 0o660, group: nil)
        }
        var status = stat()
        #expect(lstat(lock, &status) == 0 && status.st_mode & S_IFMT == type)
        #expect(lstat(path, &status) < 0)
        #expect(
            SocketFileError.notALock(path: path).description
                == "cannot listen on \(path): \(lock) is not a regular file, and is not deleted")
    }

    @Test func `a lock file that cannot be had is named`() throws {
        let directory = try TemporaryDirectory()
        _ = try FileDescriptor.appending(to: directory("file"))
        let path = directory("file/socket")
        let error = SocketFileError.lock(path: path, SystemError(call: "open", code: ENOTDIR))
        #expect(throws: error) { _ = try SocketFile(path: path, mode: 0o660, group: nil) }
        #expect(
            error.description == "cannot listen on \(path): \(path).lock: open: Not a directory (errno 20)")
    }

    @Test
    func `a socket is reached by its path and by symbolic links, and no more when another has its place`()
        throws
    {
        let directory = try TemporaryDirectory()
        let file = try SocketFile(path: directory("socket"), mode: 0o660, group: nil)
        #expect(symlink(".", directory("here")) == 0)
        #expect(symlink("here/socket", directory("link")) == 0)
        let paths = ["socket", "here/socket", "link"].map { directory($0) }
        for path in paths { #expect(file.isReached(by: path)) }
        #expect(!file.isReached(by: directory("missing")))
        #expect(!file.isReached(by: directory("socket.lock")))
        #expect(rename(directory("socket"), directory("old")) == 0)
        for path in paths { #expect(!file.isReached(by: path)) }
    }

    @Test func `who owns a socket is known, also when its file is gone, until the owner has ended`() throws {
        let directory = try TemporaryDirectory()
        let path = directory("socket")
        #expect(SocketFile.owner(of: path) == nil)
        let file = try SocketFile(path: path, mode: 0o660, group: nil)
        let other = try SocketFile(path: directory("other"), mode: 0o660, group: nil)
        try removeFile(path)
        #expect(SocketFile.owner(of: path) == getpid())
        file.remove()
        #expect(SocketFile.owner(of: path) == nil)
        #expect(SocketFile.owner(of: other.path) == getpid())
        try Self.leaveBehind(directory("stale"))
        #expect(SocketFile.owner(of: directory("stale")) == nil)
    }
}
