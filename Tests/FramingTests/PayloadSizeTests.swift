import Framing
import Testing

/// Which sizes payloads can have at all.
struct PayloadSizeTests {
    @Test(
        arguments: [
            (LengthField(width: .one), 0...255), (LengthField(width: .one, adjust: -255), 0...0),
            (LengthField(width: .one, adjust: -256), nil), (LengthField(width: .one, adjust: 9), 9...264),
            (LengthField(width: .one, strip: 0), 1...256), (LengthField(width: .one, strip: 256), 0...0),
            (LengthField(width: .one, strip: 257), nil),
            (LengthField(width: .two, offset: 1, adjust: -3), 3...65535),
            (
                LengthField(width: .eight, adjust: 1 << 20, strip: 0),
                (1 << 20) + 8...(1 << 62) + (1 << 20) + 8
            ),
        ] as [(LengthField, ClosedRange<Int>?)])
    func `a length field bounds them`(field: LengthField, sizes: ClosedRange<Int>?) {
        #expect(Framing.length(field).payloadSizes == sizes)
    }

    @Test(
        arguments: [
            (VarintField(bytes: 1), 0...127), (VarintField(bytes: 1, offset: 3), 4...131),
            (VarintField(bytes: 2, strip: 0), 1...16385), (VarintField(bytes: 1, strip: 128), 0...0),
            (VarintField(bytes: 1, strip: 129), nil),
        ] as [(VarintField, ClosedRange<Int>?)])
    func `a length in groups of seven bits bounds them`(field: VarintField, sizes: ClosedRange<Int>?) {
        #expect(Framing.varint(field).payloadSizes == sizes)
    }

    @Test(arguments: [
        (Framing.line(), 0...Int.max), (.fixed(size: 7), 7...7), (.beast, 10...22),
        (.octetCounted, 1...Int.max),
    ])
    func `other framings have their own`(framing: Framing, sizes: ClosedRange<Int>) {
        #expect(framing.payloadSizes == sizes)
    }
}
