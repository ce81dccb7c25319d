import CLinux
import Glibc

/// Signals as readable events (signalfd(2)).
public struct Signals: ~Copyable {
    public let descriptor: FileDescriptor

    /// Blocks `signals` for this thread and those it starts: call before any other thread exists. SIGPIPE and SIGXFSZ, of a
    /// log whose reader is gone or whose file may not grow, are ignored: the write fails instead.
    public init(_ signals: [Int32]) throws(SystemError) {
        var mask = sigset_t()
        unsafe sigemptyset(&mask)
        for signal in signals { unsafe sigaddset(&mask, signal) }
        unsafe pthread_sigmask(SIG_BLOCK, &mask, nil)
        for signal in [SIGPIPE, SIGXFSZ] { _ = Glibc.signal(signal, SIG_IGN) }
        descriptor = FileDescriptor(
            owning: Int32(try retrying("signalfd") { unsafe Int(tl_signalfd(&mask)) }))
    }

    /// The next signal that has arrived, or `nil`.
    public borrowing func next() -> Int32? {
        var info = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        guard unsafe read(descriptor.raw, &info, size) == size else { return nil }
        return Int32(info.ssi_signo)
    }
}
