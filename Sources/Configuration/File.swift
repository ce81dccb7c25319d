import Glibc

/// Why a file cannot be read.
struct FileError: Error {
    var message: String
    /// It is not the file's fault, and may be over soon.
    var mayPass = false
}

/// Reads a regular file whole. Anything else is refused, since a pipe or a terminal could keep us waiting.
func read(_ path: String, atMost limit: Int) throws(FileError) -> [UInt8] {
    guard !path.utf8.contains(0) else { throw FileError(message: "cannot open: a NUL in the path") }
    let descriptor = try retrying("open") { unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) }
    defer { close(descriptor) }
    var status = stat()
    _ = try retrying("examine") { unsafe fstat(descriptor, &status) }
    guard status.st_mode & S_IFMT == S_IFREG else {
        throw FileError(message: "cannot read: not a regular file")
    }
    var bytes = [UInt8](repeating: 0, count: limit + 1)
    var count = 0
    while count < bytes.count {
        let room = bytes.count - count
        let received = try retrying("read") {
            Int32(
                unsafe bytes.withUnsafeMutableBytes {
                    unsafe Glibc.read(descriptor, $0.baseAddress?.advanced(by: count), room)
                })
        }
        if received == 0 { break }
        count += Int(received)
    }
    guard count <= limit else { throw FileError(message: "larger than \(Size.print(limit))") }
    return Array(bytes.prefix(count))
}

private func retrying(_ operation: String, _ call: () -> Int32) throws(FileError) -> Int32 {
    while true {
        let result = call()
        if result >= 0 { return result }
        let code = errno
        if code == EINTR { continue }
        var reason = [CChar](repeating: 0, count: 128)
        _ = unsafe strerror_r(code, &reason, reason.count)
        let text = String(decoding: reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        throw FileError(
            message: "cannot \(operation): \(text) (errno \(code))",
            mayPass: [EMFILE, ENFILE, ENOMEM, EIO, ESTALE, ETIMEDOUT].contains(code))
    }
}
