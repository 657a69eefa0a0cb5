import AppReceiptParsing
import Foundation
import TestSupport
import Testing

@Suite("Genuine receipts", .enabled(if: GenuineReceipts.arePresent, "\(GenuineReceipts.absence)"))
struct GenuineReceiptTests {
    struct Expected: Sendable, CustomTestStringConvertible {
        let file: String
        var format = ReceiptInput.Format.der
        var bundleIdentifier: String?
        var appVersion: String?
        var originalAppVersion: String?
        let environment: ReceiptEnvironment
        var creationDate: String?
        /// The day, if only the day is known.
        var creationDay: String?
        let purchases: Int

        var testDescription: String { file }
    }

    static let receipts = [
        Expected(
            file: "mac-production-2017-sha1.receipt", bundleIdentifier: "com.ideasoncanvas.MindNodeMac",
            appVersion: "2.5.5", environment: .production, creationDate: "2017-09-04T09:01:20Z", purchases: 0),
        Expected(
            file: "mac-production-2023-g5-sha256.receipt", bundleIdentifier: "com.ideasoncanvas.mindnode.macos",
            appVersion: "2023.2.2", originalAppVersion: "5.0", environment: .production, creationDay: "2023-08-28",
            purchases: 3),
        Expected(
            file: "ios-sandbox-2015-sha1.b64", format: .base64, bundleIdentifier: "com.mbaasy.ios.demo",
            appVersion: "1",
            originalAppVersion: "1.0", environment: .productionSandbox, creationDay: "2015-08-13", purchases: 7),
        Expected(
            file: "ios-sandbox-2023-g7.receipt", bundleIdentifier: "com.hannesoid.PurchasingExperiments",
            originalAppVersion: "1.0", environment: .productionSandbox, creationDay: "2023-02-22", purchases: 2),
        Expected(
            file: "ios-sandbox-2025-g5.receipt", bundleIdentifier: "dev.bonzer.weeka.app", appVersion: "2",
            originalAppVersion: "1.0", environment: .productionSandbox, creationDay: "2025-12-26", purchases: 2),
        Expected(
            file: "xcode-2020.b64", format: .base64, environment: .xcode, creationDay: "2020-07-22", purchases: 1),
        Expected(
            file: "xcode-2023-empty.b64", format: .base64, environment: .xcode, creationDay: "2023-10-19", purchases: 0),
    ]

    private func bytes(_ file: String) throws -> [UInt8] {
        try ReceiptFile.contents(atPath: GenuineReceipts.folder.appendingPathComponent(file).path)
    }

    @Test("A genuine receipt has the expected contents", arguments: receipts)
    func receipt(_ expected: Expected) throws {
        let bytes = try bytes(expected.file)
        #expect(try ReceiptInput(bytes).format == expected.format)
        let receipt = try AppReceipt(parsing: bytes)
        #expect(receipt.environment == expected.environment)
        #expect(receipt.bundleIdentifier != nil)
        if let bundleIdentifier = expected.bundleIdentifier { #expect(receipt.bundleIdentifier == bundleIdentifier) }
        if let appVersion = expected.appVersion { #expect(receipt.appVersion == appVersion) }
        if let version = expected.originalAppVersion { #expect(receipt.originalAppVersion == version) }
        let date = receipt.creationDate.map(ReceiptDate.string(from:))
        if let creationDate = expected.creationDate { #expect(date == creationDate) }
        if let creationDay = expected.creationDay { #expect(date?.hasPrefix(creationDay) == true) }
        #expect(receipt.purchases.count == expected.purchases)
        #expect(receipt.deviceHash?.count == 20)
        #expect(receipt.opaqueValue?.count == (expected.environment == .xcode ? 8 : 16))
    }

    @Test("Every purchase in a genuine receipt has product, transaction and date", arguments: receipts)
    func purchases(_ expected: Expected) throws {
        let purchases = try AppReceipt(parsing: bytes(expected.file)).purchases
        #expect(purchases.count == expected.purchases)
        for purchase in purchases {
            #expect(purchase.quantity == 1)
            #expect(purchase.productIdentifier != nil)
            #expect(purchase.transactionIdentifier != nil)
            #expect(purchase.purchaseDate != nil)
            #expect(purchase.cancellationDate == nil)
            if expected.environment != .xcode {
                #expect(purchase.originalTransactionIdentifier != nil)
                #expect(purchase.productType != nil)
                #expect(purchase.isTrialPeriod != nil)
                #expect(purchase.reservedTexts.isEmpty)
            }
        }
    }

    @Test("A genuine receipt has one signer, and three certificates or Xcode's one", arguments: receipts)
    func container(_ expected: Expected) throws {
        let container = try ReceiptContainer(parsing: bytes(expected.file))
        #expect(container.certificates.count == (expected.environment == .xcode ? 1 : 3))
        #expect(container.digestAlgorithms == [container.signer.digestAlgorithm])
        #expect(container.signer.signedAttributes == nil)
        #expect(container.signer.signature.count == 256)
    }

    @Test("An Xcode receipt is base64 of BER, has offsets in its dates and expires in the year 4001")
    func xcode() throws {
        let receipt = try AppReceipt(parsing: bytes("xcode-2020.b64"))
        #expect(try ReceiptInput(ReceiptInput(bytes("xcode-2020.b64")).containerBytes).format == .ber)
        #expect(receipt.creationDate == Date(timeIntervalSince1970: 1_595_439_195))
        #expect(receipt.expirationDate == Date(timeIntervalSince1970: 64_092_211_200))
    }

    @Test("A genuine receipt is unchanged by encoding to JSON and decoding", arguments: receipts)
    func coding(_ expected: Expected) throws {
        let receipt = try AppReceipt(parsing: bytes(expected.file))
        #expect(try JSONDecoder().decode(AppReceipt.self, from: JSONEncoder().encode(receipt)) == receipt)
    }

    @Test("A genuine transaction receipt from before iOS 7 fails with its own code")
    func transactionReceipt() throws {
        let bytes = try bytes("transaction-receipt-pre-ios7.b64")
        expectFailure(.inputTransactionReceipt, check: .input) { try AppReceipt(parsing: bytes) }
    }

    @Test("A certificate is rejected")
    func certificate() throws {
        let bytes = try bytes("storekit-test-certificate.cer")
        expectFailure(.containerNotSignedData, check: .container) { try AppReceipt(parsing: bytes) }
    }
}
