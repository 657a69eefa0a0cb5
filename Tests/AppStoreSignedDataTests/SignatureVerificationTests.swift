import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing

@Suite("Signature verifications of signed data")
struct SignatureVerificationTests {
    private static func verifier() throws -> SignedDataVerifier {
        SignedDataVerifier(anchors: try TestPKI.signedData.anchors)
    }

    private static func notification(_ transactionKey: TestKey? = nil) throws -> String {
        var transaction = try TestToken(TestTransaction("com.example.pro", transaction: "1").members)
        if let transactionKey { transaction.key = transactionKey }
        return try TestNotification(type: .subscribed).with {
            $0.signedTransactionInfo = try transaction.encoded()
            $0.signedRenewalInfo = try TestRenewalInfo("com.example.pro", original: "1").signed()
        }.signed()
    }

    @Test("Each signature of a transaction is verified once, and those of a cached chain aren't verified again")
    func transaction() throws {
        let token = try TestTransaction("com.example.pro", transaction: "1").signed()
        let verifier = try Self.verifier()
        let cold = try VerifiedSignatures.during {
            _ = try verifier.verifyTransaction(token, expecting: expectations, now: now)
        }
        #expect(cold.count == 3)
        #expect(Set(cold).count == 3)
        let warm = VerifiedSignatures.during { _ = verifier.report(token, expecting: expectations, now: now) }
        #expect(warm == [cold[2]])
    }

    @Test("Each signature of a notification and of the tokens in it is verified once")
    func notification() throws {
        let token = try Self.notification()
        let verify = try VerifiedSignatures.during {
            let verified = try Self.verifier().verifyNotification(token, expecting: expectations, now: now)
            #expect(verified.transaction != nil)
            #expect(verified.renewalInfo != nil)
        }
        #expect(verify.count == 5)
        #expect(Set(verify).count == 5)
        let verifier = try Self.verifier()
        let report = VerifiedSignatures.during {
            #expect(verifier.report(token, expecting: expectations, now: now).isValid)
        }
        #expect(report == verify)
    }

    @Test("Each signature of a notification with a forged token is verified once")
    func forgedNestedToken() throws {
        let token = try Self.notification(.foreignSigner)
        let verifier = try Self.verifier()
        let signatures = VerifiedSignatures.during {
            #expect(!verifier.report(token, expecting: expectations, now: now).isValid)
        }
        #expect(signatures.count == 4)
        #expect(Set(signatures).count == 4)
    }

    @Test("Reading a token without verifying it doesn't verify signatures")
    func unverified() throws {
        let token = try TestTransaction("com.example.pro", transaction: "1").signed()
        #expect(VerifiedSignatures.during { _ = UnverifiedSignedDataReport(token, certificates: true) { $1 } }.isEmpty)
        #expect(
            VerifiedSignatures.during { _ = UnverifiedSignedDataReport("nonsense", certificates: true) { $1 } }.isEmpty)
    }

    @Test("A report contains the verified value of its kind")
    func values() throws {
        func value(_ token: String) throws -> VerifiedSignedData {
            try Self.verifier().report(token, expecting: expectations, now: now).result.get()
        }
        let transaction = try TestTransaction("com.example.pro", transaction: "1").signed()
        #expect(
            try value(transaction)
                == .transaction(Self.verifier().verifyTransaction(transaction, expecting: expectations, now: now)))
        let renewal = try TestRenewalInfo("com.example.pro", original: "1").signed()
        #expect(
            try value(renewal)
                == .renewalInfo(Self.verifier().verifyRenewalInfo(renewal, expecting: expectations, now: now)))
        let app = try TestAppTransaction().signed()
        #expect(
            try value(app)
                == .appTransaction(Self.verifier().verifyAppTransaction(app, expecting: expectations, now: now)))
        let notification = try Self.notification()
        #expect(
            try value(notification)
                == .notification(Self.verifier().verifyNotification(notification, expecting: expectations, now: now)))
    }
}
