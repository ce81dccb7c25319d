import Configuration

/// What to say of a word that is none of those that there are.
enum Suggestion {
    /// `; there are tail, send; did you mean 'tail'?`
    static func words(for word: String, among all: [String]) -> String {
        let guess = nearest(to: word, among: all).map { "; did you mean '\($0)'?" } ?? ""
        return "; there are \(all.joined(separator: ", "))\(guess)"
    }
}
