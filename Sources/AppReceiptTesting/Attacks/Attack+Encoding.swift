import AppReceiptKit

// Malformed lengths and tags, and inputs that exhaust a naive parser. They are in places that are parsed before the
// signature is verified, or in legal fields that are skipped.

extension Attack {
    static let encoding: [Case] = [
        outer("a length in the reserved form", code: .encodingLengthMalformed) { [0x30, 0xFF] + $0 },
        outer("a length of nine bytes", code: .encodingLengthMalformed) {
            [0x30, 0x89, 0, 0, 0, 0, 0, 0, 0, 0, 0] + $0
        },
        outer("a length of eight bytes, all ones", code: .encodingLengthMalformed) {
            [0x30, 0x88, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF] + $0
        },
        outer("a truncated length", code: .encodingTruncated) { _ in [0x30, 0x84, 0x00, 0x00] },
        outer("a length that is one too large", code: .encodingTruncated) {
            DERWriter.element(0x30, $0 + [0]).dropLast()
        },
        outer("a length that is one too small", code: .encodingTruncated) { content in
            // The outer element is one byte short, so its content no longer fits.
            DERWriter.element(0x30, content.dropLast())
        },
        outer("a length of 4 GiB", code: .encodingLengthMalformed) { [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF] + $0 },
        outer("an indefinite length without end-of-contents", code: .encodingEndOfContentsMissing) {
            [0x30, 0x80] + $0
        },
        outer("an indefinite length with half of the end-of-contents", code: .encodingEndOfContentsMissing) {
            [0x30, 0x80] + $0 + [0]
        },
        outer("an end-of-contents with a length", code: .encodingTagUnsupported) { [0x30, 0x80] + $0 + [0, 1, 0] },
        outer("an end-of-contents inside a definite length", code: .encodingLeftover) {
            DERWriter.element(0x30, $0 + [0, 0])
        },
        outer("a set instead of a sequence", code: .inputUnrecognized) { DERWriter.element(0x31, $0) },
        outer("a primitive sequence", code: .inputUnrecognized) { DERWriter.element(0x10, $0) },
        outer("a tag in the long form", code: .inputUnrecognized) {
            [0x3F, 0x10] + DERWriter.element(0x30, $0).dropFirst()
        },

        skipped(
            "a skipped field with a tag in the long form", code: .encodingTagUnsupported,
            harm: [0x1F, 0x81, 0x01, 0x00]),
        skipped("a skipped field that is an end-of-contents", code: .encodingTagUnsupported, harm: [0x00, 0x00]),
        skipped(
            "a skipped field that is a primitive of indefinite length", code: .encodingIndefinitePrimitive,
            harm: [0x04, 0x80, 0, 0]),
        skipped("a skipped field with a length that is too large", code: .encodingTruncated, harm: [0x30, 0x05, 0x00]),
        skipped(
            "a skipped field with a truncated inner element", code: .encodingTruncated,
            harm: [0x30, 0x03, 0x04, 0x05, 0x00]),
        skipped("a skipped field nested a thousand levels deep", code: .encodingTooDeep, harm: nested(1000, tag: 0x30)),
        skipped(
            "a skipped field nested a thousand levels deep, with indefinite lengths", code: .encodingTooDeep,
            harm: nestedIndefinite(1000)),
        skipped(
            "a skipped field of two million elements", code: .encodingTooManyNodes,
            harm: DERWriter.element(0x30, twoMillion([0x05, 0x00]))),

        content("content in a string of the wrong type", code: .encodingUnexpectedTag) { DERWriter.element(0x0C, $0) },
        content("content in pieces of the wrong type", code: .encodingUnexpectedTag) {
            DERWriter.element(0x24, DERWriter.element(0x0C, $0))
        },
        content("content in pieces nested a thousand levels deep", code: .encodingTooDeep) { content in
            (0..<1000).reduce(DERWriter.octetString(content)) { inner, _ in DERWriter.element(0x24, inner) }
        },
        content("content in two million empty pieces", code: .encodingTooManyNodes) { content in
            DERWriter.element(0x24, twoMillion([0x04, 0x00]) + DERWriter.octetString(content))
        },
        content("content in pieces without end-of-contents", code: .encodingEndOfContentsMissing) {
            [0x24, 0x80] + DERWriter.octetString($0)
        },
    ]

    /// Creates an attack on the outermost element. The twin's length has a longer form than it needs, which BER allows.
    private static func outer(
        _ name: String, code: ReceiptError.Code, harm change: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) -> Case {
        Case(
            name, code: code, check: code == .inputUnrecognized ? .input : .container,
            twin: { $0.bytes = { $0 = [0x30, 0x84, 0, 0] + $0.dropFirst(2) } },
            harm: { $0.bytes = { $0 = change(Array($0.dropFirst(4))) } })
    }

    /// Creates an attack on a field that is skipped. The twin contains a well-formed revocation list that is nested ten
    /// levels deep.
    private static func skipped(
        _ name: String, code: ReceiptError.Code, harm element: @autoclosure @escaping @Sendable () -> [UInt8]
    ) -> Case {
        Case(
            name, code: code, check: .container,
            twin: { $0.container = { $0.revocationLists = [nested(10, tag: 0x30), nestedIndefinite(10)] } },
            harm: { $0.container = { $0.revocationLists = [element()] } })
    }

    /// Creates an attack that replaces the content's octet string. The twin's is in pieces on two levels.
    private static func content(
        _ name: String, code: ReceiptError.Code, harm element: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) -> Case {
        Case(
            name, code: code, check: .container,
            twin: { testCase in
                testCase.container = { container in
                    let half = container.content.count / 2
                    container.contentElement = DERWriter.element(
                        0x24,
                        DERWriter.octetString(container.content.prefix(half))
                            + DERWriter.element(0x24, DERWriter.octetString(container.content.dropFirst(half))))
                }
            },
            harm: { $0.container = { $0.contentElement = element($0.content) } })
    }

    /// Repeats an element 2^21 times.
    private static func twoMillion(_ element: [UInt8]) -> [UInt8] {
        (0..<21).reduce(element) { elements, _ in elements + elements }
    }

    private static func nested(_ depth: Int, tag: UInt8) -> [UInt8] {
        (0..<depth).reduce(DERWriter.null) { inner, _ in DERWriter.element(tag, inner) }
    }

    private static func nestedIndefinite(_ depth: Int) -> [UInt8] {
        (0..<depth).reduce(DERWriter.null) { inner, _ in DERWriter.indefinite(0x30, inner) }
    }
}
