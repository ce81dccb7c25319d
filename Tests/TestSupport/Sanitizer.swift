import Glibc

/// Whether a sanitizer watches the tests and the programs that they start (`make test-long`).
///
/// Everything takes several times as long then, and memory is mostly the sanitizer's.
public let isSanitized = getenv("TRUNKLINE_SANITIZER") != nil

/// So many times longer than usual a sanitizer may let everything take.
public let slowdown = isSanitized ? 8 : 1

/// After so many minutes a test is taken to hang; they include what it waits for its turn.
public let minutesToHang = isSanitized ? 60 : 20
