import Glibc

/// What a program writes to standard output until it closes it; it reads nothing, and its complaints are not heard.
///
/// - Parameter command: The program, which is looked for in `PATH`, and its arguments.
/// - Returns: All of it.
/// - Throws: Why it was not started.
public func output(of command: [String]) throws(SystemError) -> [UInt8] {
    var ends: [Int32] = [-1, -1]
    _ = try retrying("pipe") { unsafe Int(pipe(&ends)) }
    let reading = FileDescriptor(owning: ends[0])
    let writing = FileDescriptor(owning: ends[1])
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let pid = try start(command, output: writing)
    // Else there would be no end to what is read.
    _ = consume writing
    defer { _ = waitpid(pid, nil, 0) }
    return try reading.readToEnd()
}

private func start(_ command: [String], output: borrowing FileDescriptor) throws(SystemError) -> pid_t {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, output.raw, STDOUT_FILENO)
    unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    let arguments = CStrings(command)
    var pid: pid_t = 0
    let code = unsafe posix_spawnp(&pid, command[0], &actions, nil, arguments.base, environ)
    guard code == 0 else { throw SystemError(call: "posix_spawnp", code: code) }
    return pid
}
