import Glibc

/// What a process is called, as `ps` shows it (proc_pid_comm(5)).
///
/// - Parameter pid: The process.
/// - Returns: At most 15 bytes, which the process itself may have chosen; `nil` when it is gone or hidden.
public func processName(pid: Int32) -> String? {
    let raw = unsafe open("/proc/\(pid)/comm", O_RDONLY | O_CLOEXEC)
    guard raw >= 0 else { return nil }
    let file = FileDescriptor(owning: raw)
    var buffer = [UInt8](repeating: 0, count: 64)
    let count = unsafe pread(file.raw, &buffer, buffer.count, 0)
    guard count > 0 else { return nil }
    return String(decoding: buffer[..<count].prefix { $0 != 0x0A }, as: UTF8.self)
}
