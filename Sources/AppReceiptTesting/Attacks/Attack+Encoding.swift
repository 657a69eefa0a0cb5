import AppReceiptKit

// Lengths and tags malformed in each way that BER leaves room for, and bombs. They sit where a reader meets them before
// any signature, or in fields that are legal and skipped.

extension Attack {
    static let encoding: [Attack] = [
        outer("a length of the reserved form", .encodingLengthMalformed) { [0x30, 0xFF] + $0 },
        outer("a length of nine octets", .encodingLengthMalformed) {
            [0x30, 0x89, 0, 0, 0, 0, 0, 0, 0, 0, 0] + $0
        },
        outer("a length of eight octets, all ones", .encodingLengthMalformed) {
            [0x30, 0x88, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF] + $0
        },
        outer("a length that ends in the middle", .encodingTruncated) { _ in [0x30, 0x84, 0x00, 0x00] },
        outer("a length one more than there is", .encodingTruncated) {
            DERWriter.element(0x30, $0 + [0]).dropLast()
        },
        outer("a length one less than there is", .encodingTruncated) { content in
            // The outer element is short by one; what is inside of it no longer fits.
            DERWriter.element(0x30, content.dropLast())
        },
        outer("a length of 4 GiB", .encodingLengthMalformed) { [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF] + $0 },
        outer("an indefinite length without its end", .encodingEndOfContentsMissing) { [0x30, 0x80] + $0 },
        outer("an indefinite length with half of its end", .encodingEndOfContentsMissing) { [0x30, 0x80] + $0 + [0] },
        outer("an end of contents with a length", .encodingTagUnsupported) { [0x30, 0x80] + $0 + [0, 1, 0] },
        outer("an end of contents inside of a definite length", .encodingLeftover) {
            DERWriter.element(0x30, $0 + [0, 0])
        },
        outer("a set in place of a sequence", .inputUnrecognized) { DERWriter.element(0x31, $0) },
        outer("a primitive sequence", .inputUnrecognized) { DERWriter.element(0x10, $0) },
        outer("a tag in the long form", .inputUnrecognized) { [0x3F, 0x10] + DERWriter.element(0x30, $0).dropFirst() },

        skipped("a skipped field with a tag in the long form", .encodingTagUnsupported, [0x1F, 0x81, 0x01, 0x00]),
        skipped("a skipped field with an end of contents of its own", .encodingTagUnsupported, [0x00, 0x00]),
        skipped(
            "a skipped field of a primitive with an indefinite length", .encodingIndefinitePrimitive,
            [0x04, 0x80, 0, 0]),
        skipped("a skipped field that ends outside of itself", .encodingTruncated, [0x30, 0x05, 0x00]),
        skipped("a skipped field with a truncated inner element", .encodingTruncated, [0x30, 0x03, 0x04, 0x05, 0x00]),
        skipped("a skipped field nested a thousand deep", .encodingTooDeep, nested(1000, 0x30)),
        skipped("a skipped field nested a thousand deep, with indefinite lengths", .encodingTooDeep, endless(1000)),
        skipped(
            "a skipped field of two million elements", .encodingTooManyNodes,
            DERWriter.element(0x30, twoMillion([0x05, 0x00]))),

        content("content in a string of the wrong kind", .encodingUnexpectedTag) { DERWriter.element(0x0C, $0) },
        content("content in pieces of the wrong kind", .encodingUnexpectedTag) {
            DERWriter.element(0x24, DERWriter.element(0x0C, $0))
        },
        content("content in pieces nested a thousand deep", .encodingTooDeep) { content in
            (0..<1000).reduce(DERWriter.octetString(content)) { inner, _ in DERWriter.element(0x24, inner) }
        },
        content("content in two million empty pieces", .encodingTooManyNodes) { content in
            DERWriter.element(0x24, twoMillion([0x04, 0x00]) + DERWriter.octetString(content))
        },
        content("content in pieces without an end", .encodingEndOfContentsMissing) {
            [0x24, 0x80] + DERWriter.octetString($0)
        },
    ]

    /// The twin's outer length has a longer form than it needs, which BER allows.
    private static func outer(
        _ name: String, _ code: ReceiptError.Code, _ change: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) -> Attack {
        Attack(
            name, code, stage: code == .inputUnrecognized ? .input : .container, on: .encoding,
            twin: { $0.bytes = { $0 = [0x30, 0x84, 0, 0] + $0.dropFirst(2) } },
            { $0.bytes = { $0 = change(Array($0.dropFirst(4))) } })
    }

    /// The twin contains a well-formed revocation list that is nested a little.
    private static func skipped(
        _ name: String, _ code: ReceiptError.Code, _ element: @autoclosure @escaping @Sendable () -> [UInt8]
    ) -> Attack {
        Attack(
            name, code, stage: .container, on: .encoding,
            twin: { $0.container = { $0.revocationLists = [nested(10, 0x30), endless(10)] } },
            { $0.container = { $0.revocationLists = [element()] } })
    }

    /// The element with the content, in place of the octet string. The twin's is in pieces, of one level more.
    private static func content(
        _ name: String, _ code: ReceiptError.Code, _ element: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) -> Attack {
        Attack(
            name, code, stage: .container, on: .encoding,
            twin: { testCase in
                testCase.container = { container in
                    let half = container.content.count / 2
                    container.contentElement = DERWriter.element(
                        0x24,
                        DERWriter.octetString(container.content.prefix(half))
                            + DERWriter.element(0x24, DERWriter.octetString(container.content.dropFirst(half))))
                }
            },
            { $0.container = { $0.contentElement = element($0.content) } })
    }

    /// Two million times the same element, which is the power of two above.
    private static func twoMillion(_ element: [UInt8]) -> [UInt8] {
        (0..<21).reduce(element) { elements, _ in elements + elements }
    }

    private static func nested(_ depth: Int, _ tag: UInt8) -> [UInt8] {
        (0..<depth).reduce(DERWriter.null) { inner, _ in DERWriter.element(tag, inner) }
    }

    private static func endless(_ depth: Int) -> [UInt8] {
        (0..<depth).reduce(DERWriter.null) { inner, _ in DERWriter.indefinite(0x30, inner) }
    }
}
