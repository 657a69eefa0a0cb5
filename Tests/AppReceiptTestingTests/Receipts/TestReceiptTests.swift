import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

@Suite("TestReceipt")
struct TestReceiptTests {
    private static func parsed(_ change: (inout TestReceipt) -> Void = { _ in }) throws -> AppReceipt {
        try AppReceipt(parsing: TestReceipt().with(change).signed())
    }

    @Test("Receipts signed with RSA have the same bytes on every run and every machine", arguments: constants)
    func isDeterministic(_ constant: Constant) throws {
        let sha256 = fingerprint(try constant.make())
        #expect(sha256 == constant.sha256)
        #expect(try constant.make() == constant.make())
    }

    /// A receipt with the SHA-256 of its bytes.
    struct Constant: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let sha256: String
        let make: @Sendable () throws -> [UInt8]

        init(_ name: String, _ sha256: String, _ make: @escaping @Sendable () throws -> [UInt8]) {
            testDescription = name
            self.sha256 = sha256
            self.make = make
        }
    }

    static let constants = [
        Constant("standard", "0d4919d5e3997f1cdc9c0eeb24171bb7d741b95970f29cd214b31b698e3a25d6") {
            try TestReceipt().signed()
        },
        Constant("SHA-1", "074b20497fa6e5a5f4928d6a25c18e7f91527c75193612bab95dfb43a0fce97b") {
            try TestReceipt().signed(by: .sha1)
        },
        Constant("RSA 4096", "bca146826e03459eee7994865d39b385c51d96042814baaa760f9591e1e9849c") {
            try TestReceipt().signed(by: .large)
        },
        Constant("like Xcode", "f1b30c8ead48fa169d904c7703e21c26c1d78b52cea048c8300cbd9421b0eef9") {
            try TestReceipt().with { $0.environment = .xcode }.signedLikeXcode()
        },
    ]

    @Test("Every option is in the parsed receipt")
    func encodesOptions() throws {
        let date = instant("2020-02-29T12:34:56Z")
        let device = try DeviceIdentifier(text: "02:00:00:00:00:01")
        let receipt = try Self.parsed { receipt in
            receipt.environment = .productionVPP
            receipt.bundleIdentifier = "org.example.other"
            receipt.appVersion = "2.3"
            receipt.originalAppVersion = "0.9"
            receipt.creationDate = date
            receipt.originalPurchaseDate = date + 1
            receipt.expirationDate = date + 2
            receipt.appStoreIdentifier = 1 << 40
            receipt.developerIdentifier = 2
            receipt.downloadIdentifier = UInt64.max >> 1
            receipt.versionExternalIdentifier = 4
            receipt.fulfillmentToolVersion = 5
            receipt.ageRating = "12+"
            receipt.operatingSystemVersion = 180_100
            receipt.deviceModelCode = 77
            receipt.preorderDate = date + 3
            receipt.volumePurchaseDate = date + 4
            receipt.volumePurchaseClientName = "School"
            receipt.platformCode = 2
            receipt.opaqueValue = [9, 8, 7]
            receipt.device = device
            receipt.purchases = [TestPurchase("p", transaction: "1", at: date)]
        }
        #expect(receipt.environment == .productionVPP)
        #expect(receipt.bundleIdentifier == "org.example.other")
        #expect(receipt.bundleIdentifierBytes == DERWriter.utf8String("org.example.other"))
        #expect(receipt.appVersion == "2.3")
        #expect(receipt.originalAppVersion == "0.9")
        #expect(receipt.creationDate == date)
        #expect(receipt.transactionDate == date)
        #expect(receipt.originalPurchaseDate == date + 1)
        #expect(receipt.expirationDate == date + 2)
        #expect(receipt.appStoreIdentifier == 1 << 40)
        #expect(receipt.developerIdentifier == 2)
        #expect(receipt.downloadIdentifier == UInt64.max >> 1)
        #expect(receipt.versionExternalIdentifier == 4)
        #expect(receipt.fulfillmentToolVersion == 5)
        #expect(receipt.ageRating == "12+")
        #expect(receipt.operatingSystemVersion == 180_100)
        #expect(receipt.deviceModelCode == 77)
        #expect(receipt.preorderDate == date + 3)
        #expect(receipt.volumePurchaseDate == date + 4)
        #expect(receipt.volumePurchaseClientName == "School")
        #expect(receipt.platformCode == 2)
        #expect(receipt.opaqueValue == [9, 8, 7])
        #expect(
            receipt.deviceHash
                == device.receiptHash(
                    opaqueValue: [9, 8, 7], bundleIdentifierBytes: DERWriter.utf8String("org.example.other")))
        #expect(receipt.purchases.map(\.productIdentifier) == ["p"])
    }

    @Test("The defaults are those of a sandbox receipt from 2024")
    func defaults() throws {
        let receipt = try Self.parsed()
        #expect(receipt.environment == .productionSandbox)
        #expect(receipt.bundleIdentifier == "com.example.app")
        #expect(receipt.appVersion == "1")
        #expect(receipt.originalAppVersion == "1.0")
        #expect(receipt.creationDate == instant("2024-07-02T15:04:05Z"))
        #expect(receipt.originalPurchaseDate == instant("2013-08-01T07:00:00Z"))
        #expect(receipt.transactionDate == nil)
        #expect(receipt.expirationDate == nil)
        #expect(receipt.preorderDate == nil)
        #expect(receipt.appStoreIdentifier == 0)
        #expect(receipt.downloadIdentifier == 0)
        #expect(receipt.deviceModelCode == 229)
        #expect(receipt.platformCode == 3)
        #expect(receipt.reserved6?.count == 64)
        #expect(receipt.reserved7?.count == 48)
        #expect(receipt.reserved20 == nil)
        #expect(receipt.deviceHash?.count == 20)
        #expect(receipt.purchases.isEmpty)
    }

    @Test("Without a device, the device hash matches no device")
    func noDevice() throws {
        let receipt = try Self.parsed()
        let device = try DeviceIdentifier(text: "02:00:00:00:00:01")
        #expect(
            receipt.deviceHash
                != device.receiptHash(
                    opaqueValue: receipt.opaqueValue ?? [], bundleIdentifierBytes: receipt.bundleIdentifierBytes ?? []))
    }

    @Test("Overrides replace, remove, repeat or add attributes")
    func overrides() throws {
        let receipt = try Self.parsed { receipt in
            receipt.overrides = [3: [DERWriter.utf8String("9")], 19: [], 777: [[1], [2]]]
        }
        #expect(receipt.appVersion == "9")
        #expect(receipt.originalAppVersion == nil)
        #expect(receipt.attributes.first(ofType: 19) == nil)
        #expect(receipt.attributes.filter { $0.type == 777 }.map { Array($0.value) } == [[1], [2]])
    }

    @Test("An Xcode receipt lacks the attributes that Xcode omits, and expires in the year 4001")
    func likeXcode() throws {
        let made = TestReceipt().with { receipt in
            receipt.environment = .xcode
            receipt.purchases = [TestPurchase("p", transaction: "1", at: receipt.creationDate)]
        }
        let receipt = try AppReceipt(parsing: made.signedLikeXcode())
        #expect(receipt.expirationDate == instant("4001-01-01T00:00:00Z"))
        for type in [18, 19] { #expect(receipt.attributes.first(ofType: type) == nil, "\(type)") }
        let purchase = try #require(receipt.purchases.first)
        for type in [1705, 1706, 1711] { #expect(purchase.attributes.first(ofType: type) == nil, "\(type)") }
        #expect(purchase.productIdentifier == "p")
    }

    @Test("The payload is a set in DER order, or for Xcode in the order of types")
    func order() {
        let appStore = TestReceipt()
        let members = appStore.attributes.map(\.der)
        #expect(appStore.payload == DERWriter.set(members))
        let xcode = TestReceipt().with { $0.environment = .xcode }
        #expect(xcode.payload == DERWriter.set(xcode.attributes.map(\.der), sorted: false))
        #expect(appStore.attributes.map(\.type) == appStore.attributes.map(\.type).sorted())
    }
}
