import AppReceiptParsing
import AppReceiptSupport
import AppReceiptTesting
import TestSupport
import Testing

@Suite("ReceiptLimits")
struct ReceiptLimitsTests {
    private func limits(_ change: (inout ReceiptLimits) -> Void) -> ReceiptLimits {
        var limits = ReceiptLimits()
        change(&limits)
        return limits
    }

    @Test("The defaults match the documentation")
    func defaults() {
        let limits = ReceiptLimits.default
        #expect(limits == ReceiptLimits())
        #expect(limits.maxInputBytes == 25_165_824)
        #expect(limits.maxReceiptBytes == 16_777_216)
        #expect(limits.maxDepth == 32)
        #expect(limits.maxNodes == 1_000_000)
        #expect(limits.maxCertificates == 6)
        #expect(limits.maxCertificateBytes == 4096)
        #expect(limits.maxAttributes == 1_200_000)
        #expect(limits.maxPurchases == 50_000)
    }

    @Test("The default input limit is large enough for base64 of the largest receipt")
    func defaultsAgree() {
        let limits = ReceiptLimits.default
        let base64 = (limits.maxReceiptBytes + 2) / 3 * 4
        #expect(base64 <= limits.maxInputBytes)
    }

    @Test("An input larger than the limit is rejected")
    func maxInputBytes() throws {
        let bytes = try TestReceipt().signed()
        let text = Array(bytes.base64.utf8)
        for input in [bytes, text] {
            let exact = limits { $0.maxInputBytes = input.count }
            #expect(try AppReceipt(parsing: input, limits: exact).bundleIdentifier == "com.example.app")
            expectFailure(.inputTooLarge, check: .input) {
                try AppReceipt(parsing: input, limits: limits { $0.maxInputBytes = input.count - 1 })
            }
        }
    }

    @Test("A decoded receipt larger than the limit is rejected")
    func maxReceiptBytes() throws {
        let bytes = try TestReceipt().signed()
        for input in [bytes, Array(bytes.base64.utf8)] {
            let exact = limits { $0.maxReceiptBytes = bytes.count }
            #expect(try AppReceipt(parsing: input, limits: exact).bundleIdentifier == "com.example.app")
            expectFailure(.inputTooLarge) {
                try AppReceipt(parsing: input, limits: limits { $0.maxReceiptBytes = bytes.count - 1 })
            }
        }
    }

    @Test("Elements nested deeper than the limit are rejected")
    func depth() throws {
        // The elements of indefinite length in an Xcode receipt: ContentInfo, its wrapper, SignedData, the inner
        // contentInfo, its wrapper and the constructed string.
        let bytes = try TestReceipt().signedLikeXcode()
        #expect(throws: Never.self) { try AppReceipt(parsing: bytes, limits: limits { $0.maxDepth = 6 }) }
        expectFailure(.encodingTooDeep, check: .container) {
            try AppReceipt(parsing: bytes, limits: limits { $0.maxDepth = 5 })
        }
    }

    @Test("More elements than the limit are rejected")
    func nodes() throws {
        let pieces = [UInt8](repeating: 0xAA, count: 100).map { [$0] }
        let payload = attributeSet([
            DERWriter.sequence([DERWriter.integer(99), DERWriter.integer(1), chunked(pieces)])
        ])
        let exact = limits { $0.maxNodes = 100 }
        #expect(try AppReceipt(payload: payload[...], limits: exact).attributes.first?.value.count == 100)
        expectFailure(.encodingTooManyNodes, check: .payload) {
            try AppReceipt(payload: payload[...], limits: limits { $0.maxNodes = 99 })
        }
    }

    @Test("More certificates than the limit are rejected")
    func certificates() throws {
        let bytes = try TestReceipt().signed()
        #expect(throws: Never.self) { try AppReceipt(parsing: bytes, limits: limits { $0.maxCertificates = 3 }) }
        expectFailure(.containerTooManyCertificates, check: .container) {
            try AppReceipt(parsing: bytes, limits: limits { $0.maxCertificates = 2 })
        }
    }

    @Test("A certificate larger than the limit is rejected")
    func maxCertificateBytes() throws {
        let pki = TestPKI.standard
        let largest = try max(pki.signer.der().count, pki.intermediate.der().count, pki.root.der().count)
        let bytes = try TestReceipt().signed()
        #expect(throws: Never.self) {
            try AppReceipt(parsing: bytes, limits: limits { $0.maxCertificateBytes = largest })
        }
        expectFailure(.containerCertificateTooLarge, check: .container) {
            try AppReceipt(parsing: bytes, limits: limits { $0.maxCertificateBytes = largest - 1 })
        }
    }

    /// Two attributes, and two purchases of two and one: seven attributes in all.
    private let payload = attributeSet([
        attribute(3, DERWriter.utf8String("1")),
        attribute(
            17, attributeSet([attribute(1702, DERWriter.utf8String("a")), attribute(1701, DERWriter.integer(1))])),
        attribute(99, []),
        attribute(17, attributeSet([attribute(1702, DERWriter.utf8String("b"))])),
    ])

    @Test("More attributes than the limit are rejected, including those of purchases")
    func attributes() throws {
        let exact = limits { $0.maxAttributes = 7 }
        #expect(try AppReceipt(payload: payload[...], limits: exact).purchases.count == 2)
        expectFailure(.payloadTooManyAttributes, check: .payload) {
            try AppReceipt(payload: payload[...], limits: limits { $0.maxAttributes = 6 })
        }
        expectFailure(.payloadTooManyAttributes, check: .payload) {
            try AppReceipt(payload: payload[...], limits: limits { $0.maxAttributes = 3 })
        }
        #expect(try AppReceipt(payload: [0x31, 0x00], limits: limits { $0.maxAttributes = 0 }).attributes.isEmpty)
    }

    @Test("More purchases than the limit are rejected")
    func purchases() throws {
        let exact = limits { $0.maxPurchases = 2 }
        #expect(try AppReceipt(payload: payload[...], limits: exact).purchases.count == 2)
        let second = payload.position(of: attributeSet([attribute(1702, DERWriter.utf8String("b"))]))
        expectFailure(.payloadTooManyPurchases, check: .payload, at: second) {
            try AppReceipt(payload: payload[...], limits: limits { $0.maxPurchases = 1 })
        }
        expectFailure(.payloadTooManyPurchases) {
            try AppReceipt(payload: payload[...], limits: limits { $0.maxPurchases = 0 })
        }
    }

    @Test("A receipt with a thousand purchases is within the default limits")
    func manyPurchases() throws {
        let purchase = attribute(17, attributeSet([attribute(1702, DERWriter.utf8String("a"))]))
        let payload = attributeSet([[UInt8]](repeating: purchase, count: 1000))
        #expect(try AppReceipt(payload: payload[...]).purchases.count == 1000)
    }
}
