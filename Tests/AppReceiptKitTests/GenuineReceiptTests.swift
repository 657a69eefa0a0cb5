import AppReceiptKit
import AppReceiptTesting
import Foundation
import TestSupport
import Testing

@Suite(
    "Genuine receipts",
    .enabled(if: GenuineReceipts.arePresent, "\(GenuineReceipts.absence)"))
struct GenuineReceiptTests {
    /// A genuine receipt and its expected contents.
    struct Genuine: Sendable, CustomTestStringConvertible {
        let file: String
        let bundleIdentifier: String
        let version: String?
        let originalVersion: String?
        let purchases: Int
        let environment: AppStoreEnvironment
        let device: String?

        init(
            _ file: String, _ bundleIdentifier: String, version: String? = nil, originalVersion: String? = nil,
            purchases: Int, _ environment: AppStoreEnvironment, device: String? = nil
        ) {
            self.file = file
            self.bundleIdentifier = bundleIdentifier
            self.version = version
            self.originalVersion = originalVersion
            self.purchases = purchases
            self.environment = environment
            self.device = device
        }

        var testDescription: String { file }

        func expectations(_ device: String? = nil) throws -> Expectations {
            Expectations(
                bundleIdentifier: [bundleIdentifier], environments: .only([environment]),
                appVersion: version, originalAppVersion: originalVersion,
                devices: try device.map { [try DeviceIdentifier(text: $0)] } ?? .anyDevice)
        }
    }

    static let fromAppStore = [
        Genuine(
            "mac-production-2017-sha1.receipt", "com.ideasoncanvas.MindNodeMac", version: "2.5.5", purchases: 0,
            .production, device: "bEAItZRe"),
        Genuine(
            "mac-production-2023-g5-sha256.receipt", "com.ideasoncanvas.mindnode.macos", version: "2023.2.2",
            originalVersion: "5.0", purchases: 3, .production, device: "f8:ff:c2:1e:91:82"),
        Genuine("ios-sandbox-2015-sha1.b64", "com.mbaasy.ios.demo", version: "1", purchases: 7, .sandbox),
        Genuine(
            "ios-sandbox-2023-g7.receipt", "com.hannesoid.PurchasingExperiments", purchases: 2, .sandbox,
            device: "5hgQmGLdQz+7lGddOBXSYw=="),
        Genuine(
            "ios-sandbox-2025-g5.receipt", "dev.bonzer.weeka.app", version: "2", purchases: 2, .sandbox,
            device: "956328D9-CC6A-47F4-BE40-6953FB0AB6C7"),
    ]

    static let fromXcode = [("xcode-2020.b64", 1), ("xcode-2023-empty.b64", 0)]

    private static let now = instant("2026-01-01T00:00:00Z")

    @Test(
        "A receipt from the App Store is valid by default, even after its certificates expired", arguments: fromAppStore
    )
    func storeReceiptIsValid(_ genuine: Genuine) throws {
        let bytes = try GenuineReceipts.bytes(genuine.file)
        for now in [Self.now, instant("2060-01-01T00:00:00Z")] {
            let verified = try ReceiptVerifier().verify(bytes, expecting: genuine.expectations(), now: now)
            #expect(verified.receipt.purchases.count == genuine.purchases)
            #expect(verified.environment == genuine.environment)
            #expect(try ReceiptVerifier().report(bytes, expecting: genuine.expectations(), now: now).isValid)
        }
    }

    @Test("The creation date is the receipt's attribute")
    func creationDate() throws {
        let bytes = try GenuineReceipts.bytes("mac-production-2017-sha1.receipt")
        let expectations = Expectations(
            bundleIdentifier: "com.ideasoncanvas.MindNodeMac", environments: [.production])
        let verified = try ReceiptVerifier().verify(bytes, expecting: expectations, now: Self.now)
        #expect(verified.creationDate == instant("2017-09-04T09:01:20Z"))
    }

    @Test("The receipt's device passes and other devices fail", arguments: fromAppStore.filter { $0.device != nil })
    func deviceIsCompared(_ genuine: Genuine) throws {
        let bytes = try GenuineReceipts.bytes(genuine.file)
        let own = try ReceiptVerifier().verify(
            bytes, expecting: genuine.expectations(genuine.device), now: Self.now)
        #expect(try own.device == genuine.device.map { try DeviceIdentifier(text: $0) })
        for other in ["02:00:00:00:00:01", "000102030405060708090a0b0c0d0e0f"] {
            #expect(
                try ReceiptVerifier().errorCode(of: bytes, genuine.expectations(other), now: Self.now)
                    == .deviceHashMismatch)
        }
    }

    @Test("Another environment and another app are rejected", arguments: fromAppStore)
    func othersAreRejected(_ genuine: Genuine) throws {
        let bytes = try GenuineReceipts.bytes(genuine.file)
        var expectations = try genuine.expectations()
        expectations.environments = [genuine.environment == .production ? .sandbox : .production]
        #expect(ReceiptVerifier().errorCode(of: bytes, expectations, now: Self.now) == .environmentMismatch)
        expectations = try genuine.expectations()
        expectations.bundleIdentifier = "com.example.app"
        #expect(ReceiptVerifier().errorCode(of: bytes, expectations, now: Self.now) == .bundleIdentifierMismatch)
    }

    @Test("Altered content is rejected", arguments: fromAppStore)
    func alterationIsRejected(_ genuine: Genuine) throws {
        let encoded = try GenuineReceipts.bytes(genuine.file)
        let bytes = Array(try ReceiptInput(encoded).containerBytes)
        let container = try ReceiptContainer(parsing: bytes)
        let start = try #require(container.contentOffset)
        let expectations = Expectations(bundleIdentifier: .anyBundle, environments: .anyEnvironment)
        #expect(ReceiptVerifier().errorCode(of: bytes, expectations, now: Self.now) == nil)
        for offset in stride(from: 0, to: container.content.count, by: max(1, container.content.count / 60)) {
            var altered = bytes
            altered[start + offset] ^= 0x01
            #expect(ReceiptVerifier().errorCode(of: altered, expectations, now: Self.now) != nil, "\(offset)")
        }
    }

    @Test(
        "A stripped receipt verifies to an equal receipt and lacks only the root certificate",
        arguments: fromAppStore)
    func strippedContainer(_ genuine: Genuine) throws {
        let bytes = try GenuineReceipts.bytes(genuine.file)
        let expectations = try genuine.expectations(genuine.device)
        let verified = try ReceiptVerifier().verify(bytes, expecting: expectations, now: Self.now)
        #expect(verified.container == (try ReceiptInput(bytes).containerBytes))
        let stripped = verified.strippedContainer()
        let again = try ReceiptVerifier().verify(stripped, expecting: expectations, now: Self.now)
        #expect(again == verified)
        #expect(again.creationDate == verified.creationDate)
        #expect(again.strippedContainer() == stripped)
        try StrippedContainerTests.checkMinimal(stripped, certificates: 2)
        var tree = try #require(DERTree(verified.container))
        tree.children[1].children[0].children[3].children.removeLast()
        #expect(tree.encoded == stripped)
    }

    @Test("A stripped receipt from Xcode verifies to an equal receipt", arguments: fromXcode)
    func strippedXcodeContainer(_ file: String, _ purchases: Int) throws {
        let certificate = try GenuineReceipts.bytes("storekit-test-certificate.cer")
        let verifier = ReceiptVerifier(xcode: try XcodeTrust(der: [certificate]))
        let expectations = Expectations(bundleIdentifier: .anyBundle, environments: [.xcode])
        let verified = try verifier.verify(
            GenuineReceipts.bytes(file), expecting: expectations, now: Self.now)
        let stripped = verified.strippedContainer()
        let again = try verifier.verify(stripped, expecting: expectations, now: Self.now)
        #expect(again == verified)
        #expect(again.receipt.purchases.count == purchases)
        #expect(again.strippedContainer() == stripped)
        try StrippedContainerTests.checkMinimal(stripped, certificates: 1)
        #expect(Array(certificate) == Array(try ReceiptContainer(parsing: stripped).certificates[0]))
    }

    @Test("A receipt is rejected under another root", arguments: fromAppStore)
    func needsItsRoot(_ genuine: Genuine) throws {
        let certificate = try GenuineReceipts.bytes("storekit-test-certificate.cer")
        let verifier = ReceiptVerifier(anchors: try TrustAnchors(der: [certificate]))
        let bytes = try GenuineReceipts.bytes(genuine.file)
        #expect(try verifier.errorCode(of: bytes, genuine.expectations(), now: Self.now) == .rootNotTrusted)
        let message = try verifier.report(bytes, expecting: genuine.expectations(), now: Self.now).failure?.message
        #expect(message == "The chain ends at Apple's root, which isn't trusted here. Trusted: StoreKit.")
    }

    @Test("A receipt from Xcode is valid only if the StoreKit Test certificate is trusted", arguments: fromXcode)
    func xcodeReceipt(_ file: String, _ purchases: Int) throws {
        let bytes = try GenuineReceipts.bytes(file)
        var expectations = Expectations(bundleIdentifier: .anyBundle, environments: [.xcode])
        #expect(ReceiptVerifier().errorCode(of: bytes, expectations, now: Self.now) == .xcodeNotTrusted)
        let certificate = try GenuineReceipts.bytes("storekit-test-certificate.cer")
        let verifier = ReceiptVerifier(xcode: try XcodeTrust(der: [certificate]))
        let verified = try verifier.verify(bytes, expecting: expectations, now: Self.now)
        #expect(verified.environment == .xcode)
        #expect(verified.receipt.purchases.count == purchases)
        #expect(
            verified.signerCertificate.sha256Fingerprint
                == "FF0BA36E721D2DB741D2AA11E6112EF78BF7131B46C7F035B00891D045C864FE")
        expectations.environments = [.production, .sandbox]
        #expect(verifier.errorCode(of: bytes, expectations, now: Self.now) == .environmentMismatch)
        let anchored = ReceiptVerifier(anchors: try TrustAnchors(der: [certificate]))
        expectations.environments = .anyEnvironment
        #expect(anchored.errorCode(of: bytes, expectations, now: Self.now) == .xcodeNotTrusted)
    }

    @Test("A transaction receipt that is verified as an app receipt has a specific error code")
    func transactionReceipt() throws {
        let bytes = try GenuineReceipts.bytes("transaction-receipt-pre-ios7.b64")
        let expectations = Expectations(bundleIdentifier: .anyBundle, environments: .anyEnvironment)
        #expect(ReceiptVerifier().errorCode(of: bytes, expectations, now: Self.now) == .inputTransactionReceipt)
        let report = ReceiptVerifier().report(bytes, expecting: expectations, now: Self.now)
        #expect(report.firstFailure?.message.contains("before iOS 7") == true)
    }
}
