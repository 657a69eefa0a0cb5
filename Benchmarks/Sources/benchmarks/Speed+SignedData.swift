import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Crypto
import Foundation

extension Speed {
    /// Adds signed transactions and notifications, and the verification of one P-256 signature as the baseline.
    mutating func addSignedData() throws {
        let certificates = try TestPKI.signedData.certificates()
        let verifier = SignedDataVerifier(anchors: try TrustAnchors(der: [certificates[2]]))
        let expectations = SignedDataExpectations(
            bundleIdentifier: "com.example.app", environments: [.sandbox], appAppleIdentifier: .anyApp)
        let now = Date(timeIntervalSince1970: 1_735_689_600)
        func token(_ members: AppStoreJSON.Object) throws -> String {
            try TestToken(members, certificates: certificates, key: .ellipticSigner).encoded()
        }

        // The key, digest and signature are created before, so that only the verification is measured.
        let made = try token(TestTransaction("com.example.pro", transaction: "1").members)
        let parts = made.split(separator: ".")
        let point = try TestKey.ellipticSigner.publicKeyInfo.suffix(65)
        let key = try P256.Signing.PublicKey(x963Representation: point)
        let digest = SHA256.hash(data: Data("\(parts[0]).\(parts[1])".utf8))
        let text = parts[2].replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/") + "=="
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: Data(base64Encoded: text) ?? Data())
        add(Self.ellipticBaseline, isElliptic: true) { _ in
            guard key.isValidSignature(signature, for: digest) else {
                throw Wrong(description: "the signature of the elliptic baseline is invalid")
            }
        }

        let transactions = try (0..<64).map { number in
            try token(
                TestTransaction(
                    "com.example.plus.\(number)", transaction: String(2_000_000_000_000_000 + number),
                    original: "2000000000000000", at: now.addingTimeInterval(Double(number) * -86_400),
                    until: now.addingTimeInterval(Double(number) * 86_400)
                ).members)
        }
        let prices = transactions.count * 10_990
        func check(_ transaction: VerifiedTransaction, _ index: Int) throws {
            // Every claim was decoded; these are read.
            guard transaction.claims.productIdentifier == "com.example.plus.\(index)",
                transaction.claims.price == Int64(prices / transactions.count),
                transaction.claims.expirationDate == now.addingTimeInterval(Double(index) * 86_400)
            else { throw Wrong(description: "transaction: unexpected claims") }
        }
        add("transaction-warm", variants: transactions.count, isElliptic: true) { index in
            try check(verifier.verifyTransaction(transactions[index], expecting: expectations, now: now), index)
        }
        add("transaction-cold", variants: transactions.count, isElliptic: true) { index in
            let cold = SignedDataVerifier(anchors: try TrustAnchors(der: [certificates[2]]))
            try check(cold.verifyTransaction(transactions[index], expecting: expectations, now: now), index)
        }
        let renewal = try token(TestRenewalInfo("com.example.plus.0", original: "2000000000000000").members)
        let notifications = try transactions.map { transaction in
            try token(
                TestNotification(type: .didRenew).with {
                    $0.signedTransactionInfo = transaction
                    $0.signedRenewalInfo = renewal
                }.members)
        }
        add("notification-warm", variants: notifications.count, isElliptic: true) { index in
            let notification = try verifier.verifyNotification(notifications[index], expecting: expectations, now: now)
            guard let transaction = notification.transaction, notification.renewalInfo != nil else {
                throw Wrong(description: "notification: no contents")
            }
            try check(transaction, index)
        }
    }
}
