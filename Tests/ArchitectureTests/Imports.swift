/// The modules that a Swift source imports, in order, without their submodules.
func importedModules(in source: String) -> [String] {
    source.split(whereSeparator: \.isNewline).compactMap(importedModule)
}

/// The module that a line imports: `@testable public import struct Glibc.stat` imports `Glibc`.
private func importedModule(inLine line: Substring) -> String? {
    let modifiers: Set<Substring> = ["public", "package", "internal", "fileprivate", "private"]
    let kinds: Set<Substring> = [
        "actor", "class", "enum", "func", "let", "protocol", "struct", "typealias", "var",
    ]
    var words = line.split { $0 == " " || $0 == "\t" || $0 == ";" }[...]
    while let word = words.first, word.hasPrefix("@") || modifiers.contains(word) {
        words.removeFirst()
    }
    guard words.popFirst() == "import" else { return nil }
    if let word = words.first, kinds.contains(word) {
        words.removeFirst()
    }
    guard let path = words.first else { return nil }
    return path.split(separator: ".").first.map(String.init)
}
