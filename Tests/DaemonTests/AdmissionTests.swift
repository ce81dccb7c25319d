import Configuration
import TestSupport
import Testing

@testable import Bridge

/// Who is one client too many.
struct AdmissionTests {
    private static func admission(_ total: Int?, _ perUser: Int?, with users: [UInt32] = []) -> Admission {
        var admission = Admission(ClientLimits(total: total, perUser: perUser))
        for user in users { admission.admitted(user: user, on: "a") }
        return admission
    }

    @Test func `without limits nobody is`() {
        let admission = Self.admission(nil, nil, with: Array(repeating: 7, count: 1000))
        #expect(admission.refusal(ofUser: 7) == nil)
        #expect(!admission.isFull)
    }

    @Test func `the total counts all users, and comes first`() {
        let admission = Self.admission(3, 1, with: [1, 2, 3])
        #expect(admission.isFull)
        #expect(admission.refusal(ofUser: 4) == .tooMany(limit: 3))
        #expect(admission.refusal(ofUser: 1) == .tooMany(limit: 3))
    }

    @Test func `one user's limit is nothing to another`() {
        let admission = Self.admission(nil, 2, with: [1, 1, 2])
        #expect(admission.refusal(ofUser: 1) == .tooManyOfUser(limit: 2))
        #expect(admission.refusal(ofUser: 2) == nil)
        #expect(!admission.isFull)
    }

    @Test func `who leaves makes room`() {
        var admission = Self.admission(3, 2, with: [1, 1, 2])
        admission.left(user: 1, from: "a")
        #expect(admission.refusal(ofUser: 1) == nil)
        #expect(!admission.isFull)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `the limits hold in any order of coming and leaving`(seed: UInt64) {
        var random = Seeded(seed)
        var admission = Self.admission(10, 4)
        var inside: [UInt32] = []
        for _ in 0..<1000 {
            let user = UInt32.random(in: 0..<5, using: &random)
            let count = inside.count { $0 == user }
            if Bool.random(using: &random), let index = inside.firstIndex(of: user) {
                inside.remove(at: index)
                admission.left(user: user, from: "a")
            } else if admission.refusal(ofUser: user) == nil {
                #expect(inside.count < 10 && count < 4)
                inside.append(user)
                admission.admitted(user: user, on: "a")
            } else {
                #expect(inside.count == 10 || count == 4)
            }
            #expect(admission.count == inside.count)
        }
    }

    @Test func `each socket's clients are counted`() {
        var admission = Admission(ClientLimits(total: nil, perUser: nil))
        for socket in ["a", "b", "a"] { admission.admitted(user: 1, on: socket) }
        admission.left(user: 1, from: "a")
        #expect(["a", "b", "c"].map(admission.count(on:)) == [1, 1, 0])
    }
}
