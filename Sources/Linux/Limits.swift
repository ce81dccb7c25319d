import Glibc

/// Raises the limit of open files to what the system allows (RLIMIT_NOFILE, getrlimit(2)).
///
/// - Returns: The limit in force.
public func raiseOpenFileLimit() -> Int {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
    let raised = rlimit(rlim_cur: limit.rlim_max, rlim_max: limit.rlim_max)
    let isRaised = unsafe withUnsafePointer(to: raised) {
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), $0) == 0
    }
    return Int(clamping: isRaised ? limit.rlim_max : limit.rlim_cur)
}
