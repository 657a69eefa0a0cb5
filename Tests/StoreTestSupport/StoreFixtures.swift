#if Server
package import AppReceiptKit
package import AppReceiptTesting
package import AppStoreSignedData
package import Foundation
import TestSupport

/// Creates verified evidence. The defaults are those of AppReceiptTesting: the app com.example.app in the sandbox.
package enum StoreFixtures {
    package static let alice = UUID(uuidString: "A0000000-0000-4000-8000-00000000000A") ?? UUID()
    package static let bob = UUID(uuidString: "B0000000-0000-4000-8000-00000000000B") ?? UUID()

    /// A PKI of tokens whose root isn't a test root. `TestPKI.impostor` is one of receipts.
    package static let formerPKI = TestPKI.signedData.with {
        $0.root.key = .untrusted
        $0.root.issuerKey = .untrusted
        $0.intermediate.key = .untrusted
        $0.intermediate.issuerKey = .untrusted
        $0.signer.issuerKey = .untrusted
        $0.root.subject = TestName("AppReceiptTesting Former Root CA")
        $0.root.issuer = $0.root.subject
        $0.intermediate.issuer = $0.root.subject
    }

    private static let anything = SignedDataExpectations(
        bundleIdentifier: .anyBundle, environments: .anyEnvironment, appAppleIdentifier: .anyApp)

    private static func verifier(_ pki: TestPKI) throws -> SignedDataVerifier {
        SignedDataVerifier(
            anchors: try pki.anchors, xcode: try XcodeTrust(der: [TestPKI.xcodeTokens.der()]))
    }

    /// A period of a subscription, to be signed.
    package static func period(
        _ identifier: String, of original: String = "1", signed: String = "2024-12-01T00:00:00Z",
        token: UUID? = nil, refund: String? = nil
    ) -> TestTransaction {
        TestTransaction(
            "com.example.plus", transaction: identifier, original: original, at: instant("2024-06-01T00:00:00Z"),
            until: instant("2024-07-01T00:00:00Z")
        ).with {
            $0.signedDate = instant(signed)
            $0.revocationDate = refund.map(instant)
            if let token { $0.overrides["appAccountToken"] = .string(token.uuidString.lowercased()) }
        }
    }

    package static func transaction(_ made: TestTransaction, by pki: TestPKI = .signedData) throws
        -> VerifiedTransaction
    {
        let token = made.environment == .xcode ? try made.signedLikeXcode() : try made.signed(by: pki)
        return try verifier(pki).verifyTransaction(token, expecting: anything)
    }

    package static func renewal(
        _ original: String = "1", signed: String = "2024-12-01T00:00:00Z", status: AutoRenewStatus = .on,
        token: UUID? = nil
    ) throws -> VerifiedRenewalInfo {
        let made = TestRenewalInfo("com.example.plus", original: original).with {
            $0.signedDate = instant(signed)
            $0.autoRenewStatus = status
            if let token { $0.overrides["appAccountToken"] = .string(token.uuidString.lowercased()) }
        }
        return try verifier(.signedData).verifyRenewalInfo(made.signed(), expecting: anything)
    }

    package static func notification(
        _ number: Int, _ transaction: TestTransaction?, renewal: VerifiedRenewalInfo? = nil,
        _ change: (inout TestNotification) -> Void = { _ in }
    ) throws -> VerifiedNotification {
        let made = try TestNotification(type: .didRenew).with {
            $0.notificationUUID = "00000000-0000-4000-8000-" + String(repeating: "0", count: 11) + "\(number)"
            $0.signedTransactionInfo = try transaction?.signed()
            $0.signedRenewalInfo = renewal?.token
            change(&$0)
        }
        let token = made.environment == .xcode ? try made.signedLikeXcode() : try made.signed()
        return try verifier(.signedData).verifyNotification(token, expecting: anything)
    }

    /// A receipt with one purchase of each original.
    package static func receipt(
        _ originals: [String], made: String = "2024-07-02T15:04:05Z", by pki: TestPKI = .standard,
        _ change: (inout TestReceipt) -> Void = { _ in }
    ) throws -> VerifiedReceipt {
        let receipt = TestReceipt().with {
            $0.creationDate = instant(made)
            $0.purchases = originals.map {
                TestPurchase("com.example.pro", transaction: $0, at: instant("2024-06-01T00:00:00Z"))
            }
            change(&$0)
        }
        return try self.receipt(
            container: receipt.environment == .xcode ? receipt.signedLikeXcode() : receipt.signed(by: pki), by: pki)
    }

    /// Verifies a container without a date, as the store and the responder do.
    package static func receipt(container: [UInt8], by pki: TestPKI = .standard) throws -> VerifiedReceipt {
        try ReceiptVerifier(anchors: pki.anchors, xcode: XcodeTrust(der: [TestPKI.xcode.der()])).verify(
            container, expecting: Expectations(bundleIdentifier: .anyBundle, environments: .anyEnvironment),
            now: .distantPast)
    }

    /// A transaction receipt.
    package static func transactionReceipt(
        _ original: String, _ environment: AppStoreEnvironment = .sandbox
    ) throws -> VerifiedTransactionReceipt {
        let receipt = TestTransactionReceipt("com.example.pro", transaction: original).with {
            guard environment == .production else { return }
            $0.unsignedEntries = []
            $0["app-item-id"] = "450542233"
        }
        let pki = TestPKI.transactionReceipts
        let verifier = ReceiptVerifier(
            anchors: try pki.anchors,
            transactionReceipts: try TransactionReceiptTrust(der: [pki.intermediate.der()]))
        return try verifier.verifyTransactionReceipt(
            receipt.signed(), expecting: Expectations(bundleIdentifier: .anyBundle, environments: [environment]))
    }

    /// A receipt with unsigned bytes, which anyone can add without breaking the signature.
    package static func padded(_ receipt: TestReceipt, bytes: Int = 900_000) throws -> [UInt8] {
        var container = try TestContainer(content: receipt.payload, signedBy: .standard)
        container.signers[0].unsignedAttributes = [
            TestSigner.SignedAttributes.attribute(
                "1.2.3.4", [DERWriter.octetString([UInt8](repeating: 0x5A, count: bytes))])
        ]
        return try container.encoded()
    }
}
#endif
