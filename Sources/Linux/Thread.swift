import CLinux
import Glibc

/// Starts a thread that nobody joins, with a stack of 512 KiB.
public func startThread(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    defer { unsafe pthread_attr_destroy(&attributes) }
    unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    // The default of 8 MiB is more than a look-up or a line of the log needs.
    unsafe pthread_attr_setstacksize(&attributes, 512 << 10)
    var thread = pthread_t()
    // The thread takes over this reference, and gives it up when it ends.
    let argument = unsafe Unmanaged.passRetained(ThreadBody(run: body))
    let code = unsafe pthread_create(
        &thread, &attributes,
        { argument in
            guard let argument = unsafe argument else { return nil }
            unsafe Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run()
            return nil
        }, argument.toOpaque())
    guard code != 0 else { return }
    unsafe argument.release()
    throw SystemError(call: "pthread_create", code: code)
}

private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void

    init(run: @escaping @Sendable () -> Void) { self.run = run }
}
