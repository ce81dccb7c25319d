import Configuration

/// Counts the clients of a bridge, in total and of each user, and tells who is one too many.
struct Admission {
    private let limits: ClientLimits
    private(set) var count = 0
    private var countOfUser: [UInt32: Int] = [:]
    private var countOfSocket: [String: Int] = [:]

    init(_ limits: ClientLimits) { self.limits = limits }

    /// As many are connected as the bridge takes: the next is refused, whoever it is.
    var isFull: Bool { limits.total.map { count >= $0 } ?? false }

    /// Why a client of this user cannot be taken; `nil` when it can.
    func refusal(ofUser uid: UInt32) -> RefusalReason? {
        if let limit = limits.total, count >= limit { return .tooMany(limit: limit) }
        if let limit = limits.perUser, countOfUser[uid, default: 0] >= limit {
            return .tooManyOfUser(limit: limit)
        }
        return nil
    }

    /// How many are connected to the socket of this name.
    func count(on socket: String) -> Int { countOfSocket[socket, default: 0] }

    mutating func admitted(user uid: UInt32, on socket: String) {
        count += 1
        countOfUser[uid, default: 0] += 1
        countOfSocket[socket, default: 0] += 1
    }

    mutating func left(user uid: UInt32, from socket: String) {
        count -= 1
        countOfSocket[socket, default: 0] -= 1
        let rest = countOfUser[uid, default: 0] - 1
        // Nothing is kept of users who are gone.
        countOfUser[uid] = rest > 0 ? rest : nil
    }
}
