import Glibc
import TestSupport
import Testing

@testable import Linux

/// A resume from suspend, and what merely looks like one.
struct SuspendWatchTests {
    /// The time in suspend, as the test says.
    final class Gap {
        var value = Duration.seconds(3600)
    }

    @Test func `a resume is told once`() throws {
        let gap = Gap()
        let watch = try SuspendWatch { gap.value }
        #expect(!watch.reset())
        gap.value += .seconds(20)
        #expect(watch.reset())
        #expect(!watch.reset())
    }

    /// The kernel reports one in the same way.
    @Test func `a step of the wall clock is not, however far, nor what reading the clocks makes`() throws {
        let gap = Gap()
        let watch = try SuspendWatch { gap.value }
        #expect(!watch.reset())
        gap.value += .microseconds(40)
        #expect(!watch.reset())
        gap.value -= .microseconds(60)
        #expect(!watch.reset())
    }

    @Test func `the time in suspend is no matter of the wall clock, and stands still while the machine runs`()
    {
        let before = timeInSuspend()
        #expect(before > .milliseconds(-1))
        #expect(timeInSuspend() - before < .milliseconds(50))
    }

    @Test func `the kernel wakes it for a change of the wall clock, and for nothing else`() throws {
        let watch = try SuspendWatch()
        let info = try FileDescriptor(
            owning: #require(
                Optional(open("/proc/self/fdinfo/\(watch.descriptor.raw)", O_RDONLY | O_CLOEXEC))))
        let (_, bytes) = try info.contents()
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        // CLOCK_REALTIME; TFD_TIMER_ABSTIME and TFD_TIMER_CANCEL_ON_SET.
        #expect(lines.contains("clockid: 0") && lines.contains("settime flags: 03"), "\(lines)")
        let rest = try #require(lines.first { $0.hasPrefix("it_value: (") }?.dropFirst(11))
        let seconds = try #require(Int(rest.prefix { $0 != "," }))
        #expect(seconds > 100 * 365 * 86_400, "more than a century, not \(seconds) s")
        var wanted = pollfd(fd: watch.descriptor.raw, events: Int16(POLLIN), revents: 0)
        #expect(poll(&wanted, 1, 0) == 0)
    }
}

extension FileDescriptor {
    fileprivate borrowing func contents() throws -> (Transfer, [UInt8]) {
        var bytes = [UInt8](repeating: 0, count: 4096)
        var span = bytes.mutableSpan
        let transfer = try read(into: &span)
        guard case .moved(let count) = transfer else { return (transfer, []) }
        return (transfer, Array(bytes[..<count]))
    }
}
