import AppReceiptParsing
import AppReceiptTesting
import Foundation
import Testing

@Suite("Attributes of receipts")
struct AppReceiptTests {
    // MARK: Values

    @Test("A production receipt has every attribute that the App Store writes")
    func production() throws {
        var test = TestReceipt(bundleIdentifier: "com.example.notes")
        test.environment = .production
        test.appVersion = "31.10.0"
        test.originalAppVersion = "2.5"
        test.creationDate = Date(timeIntervalSince1970: 1_719_932_645)
        test.originalPurchaseDate = Date(timeIntervalSince1970: 1_709_208_000)
        test.appStoreIdentifier = 1_234_567_890
        test.developerIdentifier = 284_417_353
        test.downloadIdentifier = 502_123_456_789_012
        test.versionExternalIdentifier = 860_000_001
        test.ageRating = "17+"
        test.opaqueValue = Array(0xA0...0xAF)
        let receipt = try AppReceipt(parsing: test.signed())

        #expect(receipt.environment == .production)
        #expect(receipt.appStoreIdentifier == 1_234_567_890)
        #expect(receipt.bundleIdentifier == "com.example.notes")
        #expect(receipt.bundleIdentifierBytes == [0x0C, 17] + Array("com.example.notes".utf8))
        #expect(receipt.appVersion == "31.10.0")
        #expect(receipt.opaqueValue == Array(0xA0...0xAF))
        #expect(receipt.deviceHash?.count == 20)
        #expect(receipt.deviceHash == receipt.attributes.first(ofType: 5).map { Array($0.value) })
        #expect(receipt.reserved6?.count == 64)
        #expect(receipt.reserved7?.count == 48)
        #expect(receipt.transactionDate == Date(timeIntervalSince1970: 1_719_932_645))
        #expect(receipt.fulfillmentToolVersion == 0x5033_3032)
        #expect(receipt.ageRating == "17+")
        #expect(receipt.developerIdentifier == 284_417_353)
        #expect(receipt.creationDate == Date(timeIntervalSince1970: 1_719_932_645))
        #expect(receipt.operatingSystemVersion == 170_200)
        #expect(receipt.deviceModelCode == 229)
        #expect(receipt.downloadIdentifier == 502_123_456_789_012)
        #expect(receipt.versionExternalIdentifier == 860_000_001)
        #expect(receipt.originalPurchaseDate == Date(timeIntervalSince1970: 1_709_208_000))
        #expect(receipt.originalAppVersion == "2.5")
        #expect(receipt.reserved20 == nil)
        #expect(receipt.expirationDate == nil)
        #expect(receipt.platformCode == 3)
        #expect(receipt.purchases.isEmpty)
    }

    @Test("A sandbox receipt has identifiers of 0 and an empty transaction date")
    func sandbox() throws {
        let receipt = try AppReceipt(parsing: TestReceipt().signed())
        #expect(receipt.environment == .productionSandbox)
        #expect(receipt.appStoreIdentifier == 0)
        #expect(receipt.developerIdentifier == 0)
        #expect(receipt.downloadIdentifier == 0)
        #expect(receipt.versionExternalIdentifier == 0)
        #expect(receipt.transactionDate == nil)
        #expect(receipt.attributes.first(ofType: 8)?.value == [0x16, 0x00])
        #expect(receipt.originalPurchaseDate == Date(timeIntervalSince1970: 1_375_340_400))
        #expect(receipt.originalAppVersion == "1.0")
    }

    @Test("An Xcode receipt has fewer attributes, and an expiration date in the year 4001")
    func xcode() throws {
        let test = TestReceipt().with {
            $0.environment = .xcode
            $0.opaqueValue = [1, 2, 3, 4, 5, 6, 7, 8]
        }
        let receipt = try AppReceipt(parsing: test.signedLikeXcode())
        #expect(receipt.environment == .xcode)
        #expect(receipt.opaqueValue == [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(receipt.expirationDate == Date(timeIntervalSince1970: 64_092_211_200))
        #expect(receipt.originalPurchaseDate == nil)
        #expect(receipt.originalAppVersion == nil)
        #expect(receipt.reserved6 == nil)
        #expect(receipt.reserved7 == nil)
        #expect(receipt.platformCode == nil)
        #expect(receipt.attributes.map(\.type) == [0, 1, 2, 3, 4, 5, 8, 12, 21])
    }

    @Test("The attributes of volume purchases and preorders are read")
    func volumePurchase() throws {
        let test = TestReceipt().with {
            $0.environment = .productionVPP
            $0.expirationDate = Date(timeIntervalSince1970: 1_735_689_600)
            $0.overrides[20] = [DERWriter.utf8String("something")]
            $0.overrides[22] = [DERWriter.ia5String("2024-07-02T15:04:05Z")]
            $0.overrides[23] = [DERWriter.utf8String("Example School")]
            $0.overrides[32] = [DERWriter.ia5String("2024-02-29T12:00:00Z")]
        }
        let receipt = try AppReceipt(parsing: test.signed())
        #expect(receipt.environment == .productionVPP)
        #expect(receipt.expirationDate == Date(timeIntervalSince1970: 1_735_689_600))
        #expect(receipt.reserved20 == "something")
        #expect(receipt.volumePurchaseDate == Date(timeIntervalSince1970: 1_719_932_645))
        #expect(receipt.volumePurchaseClientName == "Example School")
        #expect(receipt.preorderDate == Date(timeIntervalSince1970: 1_709_208_000))
    }

    @Test("A Mac receipt has its platform code and no attribute 20")
    func mac() throws {
        let receipt = try AppReceipt(parsing: TestReceipt().with { $0.platformCode = 2 }.signed())
        #expect(receipt.platformCode == 2)
        #expect(receipt.deviceModelCode == 1)
        #expect(receipt.attributes.first(ofType: 20) == nil)
    }

    @Test("A receipt without attributes is accepted")
    func empty() throws {
        let receipt = try receipt()
        #expect(receipt.attributes.isEmpty)
        #expect(receipt.purchases.isEmpty)
        #expect(receipt.bundleIdentifier == nil)
        #expect(receipt.creationDate == nil)
    }

    @Test("A receipt without one of the attributes is accepted", arguments: [0, 1, 2, 3, 4, 5, 8, 12, 18, 19])
    func missing(type: Int) throws {
        let whole = try AppReceipt(payload: TestReceipt().payload[...])
        #expect(whole.attributes.first(ofType: type) != nil)
        let lacking = try AppReceipt(payload: TestReceipt().with { $0.overrides[type] = [] }.payload[...])
        #expect(lacking.attributes.first(ofType: type) == nil)
        #expect(lacking.attributes.count == whole.attributes.count - 1)
    }

    // MARK: Decisive values

    /// An attribute on which a decision depends, with a valid value and the code for a malformed one.
    struct Decisive: Sendable, CustomTestStringConvertible {
        let type: UInt64
        let value: [UInt8]
        let malformed: [[UInt8]]
        let code: ReceiptError.Code

        var testDescription: String { code.rawValue }
    }

    static let decisive = [
        Decisive(
            type: 2, value: DERWriter.utf8String("com.example.app"),
            malformed: [
                [], [0x0C], Array("com.example.app".utf8), DERWriter.integer(1), [0x0C, 0x05, 0x41],
                [0x0C, 0x01, 0xFF],
                [0x0C, 0x80, 0x41, 0x00, 0x00], DERWriter.octetString(DERWriter.utf8String("a")),
            ],
            code: .bundleIdentifierMalformed),
        Decisive(
            type: 5, value: [UInt8](repeating: 7, count: 20),
            malformed: [[], [UInt8](repeating: 7, count: 19), [UInt8](repeating: 7, count: 21)],
            code: .deviceHashMalformed),
        Decisive(
            type: 12, value: DERWriter.ia5String("2024-07-02T15:04:05Z"),
            malformed: [
                [], DERWriter.ia5String("2024-07-02"), DERWriter.ia5String("2024-02-30T00:00:00Z"),
                DERWriter.ia5String(" "), DERWriter.integer(1_719_932_645), Array("2024-07-02T15:04:05Z".utf8),
            ],
            code: .creationDateMalformed),
        Decisive(
            type: 21, value: DERWriter.ia5String("2024-07-02T15:04:05Z"),
            malformed: [[], DERWriter.ia5String("never"), DERWriter.null],
            code: .expirationDateMalformed),
    ]

    @Test("A malformed value on which a decision depends is rejected with its own code", arguments: decisive)
    func decisiveValue(_ property: Decisive) throws {
        let type = property.type
        #expect(throws: Never.self) { try receipt(attribute(type, property.value)) }
        for value in property.malformed {
            let before = attribute(99, [0xAA])
            // 31 L, the attribute before, then 30 L 02 01 type 02 01 01 04 L.
            expectFailure(property.code, check: .payload, at: 2 + before.count + 10) {
                try receipt(before, attribute(type, value))
            }
        }
    }

    @Test("The offset of a malformed value is relative to the start of the container")
    func offsetInContainer() throws {
        let value = DERWriter.ia5String("2024-07-02T15:04:60Z")
        let test = TestReceipt().with { $0.overrides[12] = [value] }
        let der = try test.signed()
        let ber = try test.signedLikeXcode()
        expectFailure(.creationDateMalformed, check: .payload, at: der.position(of: value)) {
            try AppReceipt(parsing: der)
        }
        expectFailure(.creationDateMalformed, at: ber.position(of: value)) { try AppReceipt(parsing: ber) }
        // If the payload is a constructed string, the offset is relative to the start of the joined payload.
        let container = try TestContainer(content: test.payload, signedBy: .standard)
        let pieces = try container.with { $0.encoding = .ber(pieces: 9) }.encoded()
        expectFailure(.creationDateMalformed, at: test.payload.position(of: value)) { try AppReceipt(parsing: pieces) }
    }

    // MARK: Other values

    /// A property that is nil if its attribute is malformed.
    struct Indecisive: Sendable, CustomTestStringConvertible {
        let type: UInt64
        let isNil: @Sendable (AppReceipt) -> Bool
        let value: [UInt8]

        var testDescription: String { "attribute \(type)" }
    }

    static let indecisive = [
        Indecisive(type: 0, isNil: { $0.environment == nil }, value: DERWriter.utf8String("Production")),
        Indecisive(type: 1, isNil: { $0.appStoreIdentifier == nil }, value: DERWriter.integer(0)),
        Indecisive(type: 3, isNil: { $0.appVersion == nil }, value: DERWriter.utf8String("1")),
        Indecisive(type: 8, isNil: { $0.transactionDate == nil }, value: DERWriter.ia5String("2024-07-02T15:04:05Z")),
        Indecisive(type: 9, isNil: { $0.fulfillmentToolVersion == nil }, value: DERWriter.integer(1)),
        Indecisive(type: 10, isNil: { $0.ageRating == nil }, value: DERWriter.ia5String("4+")),
        Indecisive(type: 11, isNil: { $0.developerIdentifier == nil }, value: DERWriter.integer(1)),
        Indecisive(type: 13, isNil: { $0.operatingSystemVersion == nil }, value: DERWriter.integer(1)),
        Indecisive(type: 14, isNil: { $0.deviceModelCode == nil }, value: DERWriter.integer(1)),
        Indecisive(type: 15, isNil: { $0.downloadIdentifier == nil }, value: DERWriter.integer(1)),
        Indecisive(type: 16, isNil: { $0.versionExternalIdentifier == nil }, value: DERWriter.integer(1)),
        Indecisive(
            type: 18, isNil: { $0.originalPurchaseDate == nil }, value: DERWriter.ia5String("2024-07-02T15:04:05Z")),
        Indecisive(type: 19, isNil: { $0.originalAppVersion == nil }, value: DERWriter.utf8String("1.0")),
        Indecisive(type: 20, isNil: { $0.reserved20 == nil }, value: DERWriter.utf8String("a")),
        Indecisive(
            type: 22, isNil: { $0.volumePurchaseDate == nil }, value: DERWriter.ia5String("2024-07-02T15:04:05Z")),
        Indecisive(type: 23, isNil: { $0.volumePurchaseClientName == nil }, value: DERWriter.utf8String("a")),
        Indecisive(type: 25, isNil: { $0.platformCode == nil }, value: DERWriter.integer(3)),
        Indecisive(type: 32, isNil: { $0.preorderDate == nil }, value: DERWriter.ia5String("2024-07-02T15:04:05Z")),
    ]

    @Test(
        "A malformed value on which no decision depends is nil, and its bytes are available", arguments: indecisive
    )
    func indecisiveValue(_ property: Indecisive) throws {
        let good = try receipt(attribute(property.type, property.value))
        #expect(!property.isNil(good))
        for value: [UInt8] in [
            [], [0xFF], [0x04, 0x01, 0x41], DERWriter.null, [0x0C, 0x05, 0x41], [0x02, 0x02, 0x00],
        ] {
            let receipt = try receipt(attribute(property.type, value))
            #expect(property.isNil(receipt))
            #expect(receipt.attributes.first.map { Array($0.value) } == value)
        }
    }

    @Test(
        "Opaque values aren't decoded, even if they are empty or look like elements",
        arguments: [4, 6, 7] as [UInt64])
    func opaque(type: UInt64) throws {
        for value: [UInt8] in [[], [0x0C, 0x00], [0x0C, 0x01, 0x41, 0xFF], [0xFF]] {
            let receipt = try receipt(attribute(type, value))
            let read = [4: receipt.opaqueValue, 6: receipt.reserved6, 7: receipt.reserved7][type]
            #expect(read == .some(value))
        }
    }

    // MARK: Duplicates

    @Test("A duplicate attribute is rejected", arguments: Array(0...16) + Array(18...23) + [25, 32])
    func duplicate(type: Int) throws {
        let test = TestReceipt()
        let value =
            test.attributes.first { $0.type == type }.map { Array($0.value) }
            ?? DERWriter.ia5String("2024-07-02T15:04:05Z")
        let once = attribute(UInt64(type), value)
        let other = attribute(100, [0x05, 0x00])
        #expect(try receipt(once, other).attributes.count == 2)
        let error = expectFailure(.attributeDuplicate, check: .payload) { try receipt(once, other, once) }
        #expect(error?.message.contains("\(type)") == true)
        // The position of the second value.
        #expect(error?.offset == attributeSet([once, other, once]).count - value.count)
    }

    @Test(
        "A duplicate attribute is rejected even if one of the two is empty or malformed",
        arguments: [[], [0x0C, 0x00]])
    func duplicateOfEmpty(value: [UInt8]) throws {
        expectFailure(.attributeDuplicate) {
            try receipt(attribute(3, value), attribute(3, DERWriter.utf8String("1")))
        }
        #expect(try receipt(attribute(3, value)).appVersion == nil)
    }

    @Test(
        "Unknown attributes and purchases can occur several times",
        arguments: [17, 24, 26, 31, 33, 64, 66, 1702])
    func repeatable(type: UInt64) throws {
        let repeated = attribute(type, attributeSet([]))
        let receipt = try receipt(repeated, repeated, repeated)
        #expect(receipt.attributes.map(\.type) == [Int](repeating: Int(type), count: 3))
        #expect(receipt.purchases.count == (type == 17 ? 3 : 0))
    }

    @Test("Attributes whose numbers differ by 64 aren't duplicates")
    func numbersApart() throws {
        let receipt = try receipt(
            attribute(3, DERWriter.utf8String("1")), attribute(67, DERWriter.utf8String("2")),
            attribute(131, DERWriter.utf8String("3")), attribute(65, DERWriter.integer(9)))
        #expect(receipt.appVersion == "1")
        #expect(receipt.appStoreIdentifier == nil)
        #expect(receipt.attributes.text(ofType: 67) == "2")
    }

    // MARK: Forms of the payload

    @Test("A payload wrapped in another octet string is accepted, primitive or constructed")
    func wrappedOnce() throws {
        let payload = TestReceipt().payload
        let plain = try AppReceipt(payload: payload[...])
        #expect(try AppReceipt(payload: DERWriter.octetString(payload)[...]) == plain)
        #expect(try AppReceipt(payload: chunked([payload])[...]) == plain)
        #expect(try AppReceipt(payload: chunked(pieces(payload, ofSize: 7))[...]) == plain)
        let container = ContainerParts(content: DERWriter.octetString(DERWriter.octetString(payload)))
        #expect(try AppReceipt(parsing: container.bytes) == plain)
    }

    @Test("A payload wrapped in two more octet strings is rejected")
    func wrappedTwice() {
        let payload = TestReceipt().payload
        // 04 82 LL LL, four bytes.
        expectFailure(.encodingUnexpectedTag, check: .payload, at: 4) {
            try AppReceipt(payload: DERWriter.octetString(DERWriter.octetString(payload))[...])
        }
        expectFailure(.encodingUnexpectedTag, check: .payload) {
            try AppReceipt(payload: chunked([chunked([payload])])[...])
        }
    }

    @Test("Errors in a wrapped payload have offsets relative to the container")
    func wrappedOffset() {
        let value = DERWriter.ia5String("yesterday")
        let payload = attributeSet([attribute(12, value)])
        let bytes = ContainerParts(content: DERWriter.octetString(DERWriter.octetString(payload))).bytes
        expectFailure(.creationDateMalformed, at: bytes.position(of: value)) { try AppReceipt(parsing: bytes) }
    }

    @Test("The order of attributes has no meaning and is preserved")
    func order() throws {
        let attributes = TestReceipt().attributes
        let forwards = try AppReceipt(payload: attributeSet(attributes.map(\.der))[...])
        let backwards = try AppReceipt(payload: attributeSet(attributes.reversed().map(\.der))[...])
        #expect(forwards.attributes.map(\.type) == attributes.map(\.type))
        #expect(backwards.attributes.map(\.type) == attributes.map(\.type).reversed())
        #expect(forwards.bundleIdentifier == backwards.bundleIdentifier)
        #expect(forwards.creationDate == backwards.creationDate)
        #expect(forwards != backwards)
    }
}
