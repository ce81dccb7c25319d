/// Why the server cannot start, in words for its user.
struct StartError: Error, CustomStringConvertible {
    let description: String
}
