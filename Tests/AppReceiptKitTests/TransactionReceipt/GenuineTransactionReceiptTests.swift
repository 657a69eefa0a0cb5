import AppReceiptTesting
import Foundation
import TestSupport
import Testing

@testable import AppReceiptKit

@Suite(
    "Genuine transaction receipts",
    .enabled(if: GenuineReceipts.arePresent, "\(GenuineReceipts.absence)"))
struct GenuineTransactionReceiptTests {
    private let now = instant("2024-07-15T00:00:00Z")

    /// The transaction receipt.
    private static func parsedTransactionReceipt() throws -> TransactionReceipt {
        try TransactionReceipt(parsing: GenuineReceipts.bytes("transaction-receipt-pre-ios7.b64"))
    }

    @Test("A transaction receipt chains to Apple's root through the embedded intermediate")
    func transactionReceiptReport() throws {
        let report = ReceiptVerifier().reportTransactionReceipt(
            try GenuineReceipts.bytes("transaction-receipt-pre-ios7.b64"),
            expecting: Expectations(bundleIdentifier: "com.mbaasy.ios.demo", environments: [.sandbox]), now: now)
        #expect(report.isValid)
        #expect(report.contents?.info.entries.count == 19)
        #expect(report.contents?.purchase.expirationDate == instant("2015-11-24T06:34:41Z"))
        #expect(report.entitlements?.all.map(\.state) == [.renewalUnknown])
    }

    @Test("The signature of the transaction receipt covers the version and the purchase info")
    func transactionSignature() throws {
        let receipt = try Self.parsedTransactionReceipt()
        let signer = try #require(EncodedCertificate(der: receipt.signature.certificate))
        let key = try #require(CertificateKey(transactionSigner: signer.keyInfo))
        let signature = receipt.signature.signature
        #expect(key.isValidSignature(signature, over: ([2] + receipt.signedInfo)[...], digest: .sha1))
        #expect(!key.isValidSignature(signature, over: receipt.signedInfo[...], digest: .sha1))
        #expect(signer.isEndEntity)
        #expect(signer.allowsDigitalSignature)
        #expect(!signer.hasUnknownCriticalExtension)
    }

    @Test("An intermediate with the name of Apple's isn't trusted, under Apple's root or its own root")
    func impostorIntermediate() throws {
        let receipt = try Self.parsedTransactionReceipt()
        let signer = try #require(EncodedCertificate(der: receipt.signature.certificate))
        let impostor = TestPKI.transactionReceipts.intermediate.with { $0.subjectElement = Array(signer.issuer) }
        let trust = try TransactionReceiptTrust(der: [impostor.der()])
        // Apple's intermediate is found too.
        _ = try trust.validate(receipt, under: .apple)
        let anchors = try TestPKI.transactionReceipts.anchors
        let error = captured { () throws(ReceiptError) in try trust.validate(receipt, under: anchors) }
        #expect(error?.code == .signerSignatureInvalid)
    }

    @Test("The signer of app receipts of 2017 chains to Apple's root in version 3, and not in version 2")
    func transactionReceiptVersion3() throws {
        let container = try ReceiptContainer(parsing: GenuineReceipts.bytes("mac-production-2017-sha1.receipt"))
        let signer = try container.signerCertificate(among: container.readCertificates())
        var receipt = TestTransactionReceipt(
            "com.example.pro", transaction: "350000245250525", at: instant("2017-08-10T00:00:00Z"))
        receipt.certificate = Array(signer.der)
        for (version, pki, code) in [
            (3 as UInt8, TestPKI.transactionReceiptsVersion3, ReceiptError.Code.signatureInvalid),
            (2, .transactionReceipts, .transactionReceiptMarkerMissing),
        ] {
            receipt.version = version
            let report = ReceiptVerifier().reportTransactionReceipt(
                try receipt.signed(by: pki),
                expecting: Expectations(bundleIdentifier: .anyBundle, environments: .anyEnvironment), now: now)
            #expect(report.failure?.code == code)
        }
    }
}
