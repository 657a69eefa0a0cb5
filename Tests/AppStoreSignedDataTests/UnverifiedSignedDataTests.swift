import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing

@Suite("UnverifiedSignedData")
struct UnverifiedSignedDataTests {
    @Test("The kind of a token is recognized, whoever signed it")
    func kinds() throws {
        let stranger = TestPKI.impostor.with { $0.signer.key = .foreignSigner }
        #expect(
            try UnverifiedSignedData(parsing: TestTransaction("p", transaction: "1").signed(by: stranger)).kind
                == .transaction)
        #expect(try UnverifiedSignedData(parsing: TestRenewalInfo("p", original: "1").signed()).kind == .renewalInfo)
        #expect(try UnverifiedSignedData(parsing: TestAppTransaction().signed()).kind == .appTransaction)
        let notification = try UnverifiedSignedData(
            parsing: TestNotification().with {
                $0.signedTransactionInfo = try TestTransaction("p", transaction: "1").signed()
            }.signed())
        #expect(notification.kind == .notification)
        #expect(notification.nested.map(\.kind) == [.transaction])
        #expect(notification.certificates.map(\.role) == [.signer, .intermediate])
    }

    @Test("The minimal test data of Apple's libraries is distinguished by the bundle identifier")
    func smallest() throws {
        let renewal = try TestToken(["environment": "Sandbox", "signedDate": 1_719_932_645_000]).encoded()
        #expect(try UnverifiedSignedData(parsing: renewal).kind == .renewalInfo)
        #expect(try verifier.verifyRenewalInfo(renewal, expecting: expectations).environment == .sandbox)
        let transaction = try TestToken(
            ["environment": "Sandbox", "bundleId": "com.example.app", "signedDate": 1_719_932_645_000]).encoded()
        #expect(try UnverifiedSignedData(parsing: transaction).kind == .transaction)
        #expect(try verifier.verifyTransaction(transaction, expecting: expectations).environment == .sandbox)
    }

    @Test("A token of an unknown kind is reported and never verified")
    func unrecognized() throws {
        let token = try TestToken(["iss": "me", "signedDate": 1]).encoded()
        let data = try UnverifiedSignedData(parsing: token)
        #expect(data.kind == nil)
        #expect(data.claims.members["iss"] == "me")
        let report = verifier.report(token, expecting: expectations)
        #expect(report.failure?.code == .tokenKindUnknown)
        #expect(report.kind == nil)
    }
}
