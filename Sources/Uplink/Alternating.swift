/// The order in which addresses are tried (RFC 8305 section 4): that of the list, but for the families, which alternate
/// from the first one's.
public func alternating<Address>(_ addresses: [Address], isIPv6: (Address) -> Bool) -> [Address] {
    guard let first = addresses.first else { return [] }
    let isFirstIPv6 = isIPv6(first)
    let preferred = addresses.filter { isIPv6($0) == isFirstIPv6 }
    let others = addresses.filter { isIPv6($0) != isFirstIPv6 }
    let pairs = zip(preferred, others).flatMap { [$0, $1] }
    let paired = pairs.count / 2
    return pairs + preferred.dropFirst(paired) + others.dropFirst(paired)
}
