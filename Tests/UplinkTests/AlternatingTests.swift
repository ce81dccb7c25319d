import TestSupport
import Testing
import Uplink

/// The order in which the addresses of a name are tried.
struct AlternatingTests {
    /// Addresses as letters: those of IPv6 are capital.
    @Test(arguments: [
        ("", ""), ("a", "a"), ("ABc", "AcB"), ("abC", "aCb"), ("ABCd", "AdBC"), ("Abcd", "Abcd"),
        ("ABcd", "AcBd"), ("aBCDe", "aBeCD"), ("ABC", "ABC"),
    ])
    func `families alternate, from the first one's, and keep their own order`(given: String, order: String) {
        #expect(String(alternating(Array(given)) { $0.isUppercase }) == order)
    }
}
