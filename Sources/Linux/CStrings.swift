import Glibc

/// A NULL-terminated array of C strings, freed with it.
@safe final class CStrings {
    let base: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let count: Int

    init(_ strings: [String]) {
        count = strings.count
        unsafe base = .allocate(capacity: count + 1)
        for (i, string) in strings.enumerated() { unsafe (base + i).initialize(to: strdup(string)) }
        unsafe (base + count).initialize(to: nil)
    }

    deinit {
        for i in 0..<count { unsafe free(base[i]) }
        unsafe base.deallocate()
    }

    subscript(index: Int) -> String { unsafe base[index].map { unsafe String(cString: $0) } ?? "" }
}
