import AppReceiptKit

// The attributes, and rule 5 of THREAT_MODEL.md: a receipt without a valid creation date isn't trusted. These payloads
// are signed, so only strict parsing rejects them.

extension Attack {
    static let payloads: [Case] =
        creationDates + attributes + purchases + [
            content("a payload that isn't a set", code: .encodingUnexpectedTag) {
                DERWriter.element(0x30, $0.dropFirst(4))
            },
            content("an empty payload", code: .encodingElementMissing) { _ in [] },
            content("a payload that is text", code: .encodingUnexpectedTag) { _ in
                DERWriter.utf8String("com.example.app")
            },
            content("a payload wrapped twice", code: .encodingUnexpectedTag) {
                DERWriter.octetString(DERWriter.octetString($0))
            },
            content("a payload truncated in its last attribute", code: .encodingTruncated) {
                DERWriter.element(0x31, $0.dropFirst(4).dropLast())
            },
            content("an attribute with two members", code: .encodingElementMissing) { _ in
                DERWriter.set([DERWriter.sequence([DERWriter.integer(2), DERWriter.integer(1)])])
            },
            content("an attribute with four members", code: .encodingLeftover) { _ in
                DERWriter.set([
                    DERWriter.sequence([
                        DERWriter.integer(2), DERWriter.integer(1), DERWriter.octetString([]), DERWriter.null,
                    ])
                ])
            },
            content("an attribute in the payload that isn't a sequence", code: .encodingUnexpectedTag) { _ in
                DERWriter.set([DERWriter.null])
            },
            content("an attribute whose value isn't an octet string", code: .encodingUnexpectedTag) { _ in
                DERWriter.set([
                    DERWriter.sequence([
                        DERWriter.integer(2), DERWriter.integer(1), DERWriter.utf8String("com.example.app"),
                    ])
                ])
            },
            content("an attribute with a negative type", code: .encodingIntegerMalformed) { _ in
                typed([0x02, 0x01, 0xFE])
            },
            content("an attribute with an empty type", code: .encodingIntegerMalformed) { _ in typed([0x02, 0x00]) },
            content("an attribute with a type of nine bytes", code: .encodingIntegerMalformed) { _ in
                typed([0x02, 0x09, 1, 0, 0, 0, 0, 0, 0, 0, 2])
            },
        ]

    private static let creationDates: [Case] = [
        creationDate("missing", code: .creationDateMissing, dates: []),
        creationDate("empty", code: .creationDateMissing, dates: [""]),
        creationDate(
            "twice, with the same value", code: .attributeDuplicate,
            dates: ["2024-07-02T15:04:05Z", "2024-07-02T15:04:05Z"]),
        creationDate(
            "twice, the first earlier", code: .attributeDuplicate,
            dates: ["2023-07-02T15:04:05Z", "2024-07-02T15:04:05Z"]),
        creationDate("without a time", code: .creationDateMalformed, dates: ["2024-07-02"]),
        creationDate("without a time zone", code: .creationDateMalformed, dates: ["2024-07-02T15:04:05"]),
        creationDate("a day that doesn't exist", code: .creationDateMalformed, dates: ["2023-02-29T15:04:05Z"]),
        creationDate("an hour that doesn't exist", code: .creationDateMalformed, dates: ["2024-07-02T24:00:00Z"]),
        creationDate("a space before it", code: .creationDateMalformed, dates: [" 2024-07-02T15:04:05Z"]),
        creationDate("a zero byte after it", code: .creationDateMalformed, dates: ["2024-07-02T15:04:05Z\0"]),
        creationDate("a year with five digits", code: .creationDateMalformed, dates: ["12024-07-02T15:04:05Z"]),
        creationDate("a fraction without digits", code: .creationDateMalformed, dates: ["2024-07-02T15:04:05.Z"]),
        creationDate("before the signer was valid", code: .signerNotYetValid, dates: ["2021-12-31T23:59:59Z"]),
        creationDate("before any certificate was valid", code: .anchorNotYetValid, dates: ["2001-01-01T00:00:00Z"]),
        creationDate("after the signer expired", code: .signerExpired, dates: ["2032-01-01T00:00:01Z"]),
        creationDate("the last day of the year 9999", code: .anchorExpired, dates: ["9999-12-31T23:59:59Z"]),
        Case("creation date: a number", code: .creationDateMalformed) {
            $0.receipt.overrides[12] = [DERWriter.integer(1_719_932_645)]
        },
    ]

    private static let attributes: [Case] =
        [0, 2, 3, 4, 5, 18, 19, 21].map { type in
            Case("attribute \(type) twice", code: .attributeDuplicate) { testCase in
                let value = testCase.receipt.attributes.first { $0.type == type }.map { Array($0.value) }
                let values = value ?? DERWriter.ia5String("2030-01-01T00:00:00Z")
                testCase.receipt.overrides[type] = [values, values]
            }
        } + [
            value(
                "a bundle identifier that is a number", ofAttribute: 2, code: .bundleIdentifierMalformed,
                bytes: DERWriter.integer(1)),
            value(
                "a bundle identifier that isn't UTF-8", ofAttribute: 2, code: .bundleIdentifierMalformed,
                bytes: [0x0C, 0x02, 0xC3, 0x28]),
            value(
                "a device hash of 19 bytes", ofAttribute: 5, code: .deviceHashMalformed,
                bytes: [UInt8](repeating: 1, count: 19)),
            value(
                "a device hash of 21 bytes", ofAttribute: 5, code: .deviceHashMalformed,
                bytes: [UInt8](repeating: 1, count: 21)),
            value(
                "an expiration date that isn't a date", ofAttribute: 21, code: .expirationDateMalformed,
                bytes: DERWriter.ia5String("never")),
            value(
                "an expiration date that is a number", ofAttribute: 21, code: .expirationDateMalformed,
                bytes: DERWriter.integer(1)),
            value(
                "an attribute with two values", ofAttribute: 3, code: .attributeTrailingBytes,
                bytes: DERWriter.utf8String("1") + DERWriter.utf8String("2")),
        ]

    private static let purchases: [Case] = [
        value("a purchase that isn't a set", ofAttribute: 17, code: .purchaseMalformed, bytes: DERWriter.sequence([])),
        value(
            "a purchase that contains a NULL", ofAttribute: 17, code: .purchaseMalformed,
            bytes: DERWriter.set([DERWriter.null])),
        value("a truncated purchase", ofAttribute: 17, code: .purchaseMalformed, bytes: [0x31, 0x05, 0x30]),
        value("bytes after a purchase", ofAttribute: 17, code: .purchaseMalformed, bytes: DERWriter.set([]) + [0]),
        purchase("a purchase with two product identifiers", code: .purchaseAttributeDuplicate) {
            $0.overrides[1702] = [DERWriter.utf8String("a"), DERWriter.utf8String("b")]
        },
        purchase("a purchase with two expiration dates", code: .purchaseAttributeDuplicate) {
            $0.overrides[1708] = [
                DERWriter.ia5String("2024-01-01T00:00:00Z"), DERWriter.ia5String("2034-01-01T00:00:00Z"),
            ]
        },
        purchase("a purchase with two cancellation dates", code: .purchaseAttributeDuplicate) {
            $0.overrides[1712] = [DERWriter.ia5String("2024-07-01T00:00:00Z"), DERWriter.ia5String("")]
        },
        Case(
            "more purchases than the limit", code: .payloadTooManyPurchases,
            given: {
                $0.limits.maxPurchases = 2
                $0.receipt.purchases = testPurchases(count: 2)
            }
        ) { $0.receipt.purchases = testPurchases(count: 3) },
        Case(
            "more attributes than the limit, including those of purchases", code: .payloadTooManyAttributes,
            given: {
                $0.receipt.purchases = testPurchases(count: 1)
                $0.limits.maxAttributes = $0.receipt.attributes.count + 30
            }
        ) { $0.receipt.purchases = testPurchases(count: 2) },
        purchase("a purchase with a malformed expiration date", code: .purchaseExpirationDateMalformed) {
            $0.overrides[1708] = [DERWriter.ia5String("tomorrow")]
        },
        purchase("a purchase with a malformed cancellation date", code: .purchaseCancellationDateMalformed) {
            $0.overrides[1712] = [DERWriter.integer(0)]
        },
        purchase("bytes after a value in a purchase", code: .attributeTrailingBytes) {
            $0.overrides[1702] = [DERWriter.utf8String("a") + [0]]
        },
    ]

    private static func creationDate(_ name: String, code: ReceiptError.Code, dates: [String]) -> Case {
        Case(
            "creation date: \(name)", code: code,
            twin: { $0.receipt.overrides[12] = [DERWriter.ia5String("2024-07-02T17:04:05.000+02:00")] },
            harm: { $0.receipt.overrides[12] = dates.map(DERWriter.ia5String) })
    }

    private static func value(_ name: String, ofAttribute type: Int, code: ReceiptError.Code, bytes: [UInt8]) -> Case {
        Case(name, code: code) { $0.receipt.overrides[type] = [bytes] }
    }

    private static func testPurchases(count: Int) -> [TestPurchase] {
        (1...count).map { TestPurchase("com.example.pro", transaction: "\($0)", at: TestReceipt().creationDate) }
    }

    /// Creates an attack on a purchase. The twin contains the same purchase, well-formed.
    private static func purchase(
        _ name: String, code: ReceiptError.Code, harm change: @escaping @Sendable (inout TestPurchase) -> Void
    ) -> Case {
        let good = TestPurchase("com.example.pro", transaction: "1", at: TestReceipt().creationDate)
        return Case(
            name, code: code, twin: { $0.receipt.purchases = [good] },
            harm: { $0.receipt.purchases = [good.with(change)] })
    }

    /// Creates an attack on the signed content. The twin's payload is wrapped in an octet string once, as some writers
    /// do.
    private static func content(
        _ name: String, code: ReceiptError.Code, harm change: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) -> Case {
        Case(
            name, code: code, check: .payload,
            twin: { $0.container = { $0.content = DERWriter.octetString($0.content) } },
            harm: { $0.container = { $0.content = change($0.content) } })
    }

    /// Encodes a set with one attribute, whose type is the given element.
    private static func typed(_ type: [UInt8]) -> [UInt8] {
        DERWriter.set([DERWriter.sequence([type, DERWriter.integer(1), DERWriter.octetString([])])])
    }
}
