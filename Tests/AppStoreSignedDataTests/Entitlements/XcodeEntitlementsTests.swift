import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing

/// In signed data from Xcode, several transactions have the identifier 0, and the original transaction 0 is the first
/// of the test session.
@Suite("Entitlements from Xcode's signed data")
struct XcodeEntitlementsTests {
    private func token(
        _ product: String, _ start: String, _ end: String? = nil, number: String = "0", signed: String? = nil,
        _ change: (inout TestTransaction) -> Void = { _ in }
    ) throws -> Evidence {
        let verifier = SignedDataVerifier(xcode: try XcodeTrust(der: [TestPKI.xcodeTokens.der()]))
        let made = TestTransaction(
            product, transaction: number, original: "0", at: moment(start), until: end.map(moment)
        ).with { made in
            made.environment = .xcode
            made.signedDate = moment(signed ?? start)
            change(&made)
        }
        var expected = expectations
        expected.environments = [.xcode]
        return Evidence(transactions: [
            try verifier.verifyTransaction(made.signedLikeXcode(), expecting: expected, now: now)
        ])
    }

    private func receipt(_ purchases: TestPurchase...) throws -> Evidence {
        let verifier = ReceiptVerifier(
            anchors: try TestPKI.standard.anchors, xcode: try XcodeTrust(der: [TestPKI.xcode.der()]))
        let made = TestReceipt().with { $0.purchases = purchases }
        return Evidence(receipts: [
            try verifier.verify(
                made.signedLikeXcode(),
                expecting: Expectations(bundleIdentifier: "com.example.app", environments: [.xcode]), now: now)
        ])
    }

    @Test("Transactions with the identifier 0 are distinguished by product and date")
    func numberZero() throws {
        let evidence =
            try token("a", "2024-06-01", "2024-08-01") + token("b", "2024-06-01", "2024-08-01")
            + token("pro", "2024-06-01")
        let entitlements = evidence.entitlements(at: "2024-07-01", in: .xcode)
        #expect(entitlements.transactions.count == 3)
        #expect(entitlements.transactions.allSatisfy { $0.originalTransactionIdentifier == "0" })
        #expect(entitlements.active.map(\.productIdentifier) == ["a", "b", "pro"])
        #expect(entitlements.all.allSatisfy { $0.originalTransactionIdentifier == "0" && $0.environment == .xcode })
        #expect(entitlements.all.map(\.transactionIdentifier) == ["0", "0", "0"])
    }

    @Test("The periods of a product are one subscription, whatever their identifiers")
    func periods() throws {
        let evidence =
            try token("a", "2024-06-01", "2024-07-01") + token("a", "2024-07-01", "2024-08-01")
            + token("a", "2024-08-01", "2024-09-01", number: "5")
        for (date, state) in [
            ("2024-05-01", Entitlement.State.notStarted), ("2024-08-15", .active), ("2024-09-01", .renewalUnknown),
        ] {
            let all = evidence.entitlements(at: date, in: .xcode).all
            #expect(all.map(\.state) == [state])
            #expect(all.map(\.since) == [moment("2024-06-01")])
        }
    }

    @Test("Tokens and receipts of the same transaction count once")
    func receipts() throws {
        let receipt = try receipt(
            .period("a", "0", "2024-06-01", "2024-07-01"), .period("a", "0", "2024-07-01", "2024-08-01"),
            .period("b", "0", "2024-06-01", "2024-07-01"))
        let tokens =
            try token("a", "2024-06-01T00:00:00.400Z", "2024-07-01")
            + token("b", "2024-06-01", "2024-07-01", signed: "2024-06-20") { $0.revocationDate = moment("2024-06-15") }
        for evidence in [receipt + tokens, tokens + receipt] {
            let entitlements = evidence.entitlements(at: "2024-06-20", in: .xcode)
            #expect(entitlements.transactions.count == 3)
            #expect(entitlements.all.map(\.state) == [.active, .refunded])
        }
    }

    @Test("Consumables of one product are separate purchases and keep their type")
    func consumables() throws {
        let evidence =
            try token("coins", "2024-06-01") { $0.productType = .consumable }
            + token("coins", "2024-06-02") { $0.productType = .consumable }
        let coins = evidence.entitlements(at: "2024-07-01", in: .xcode)
        #expect(coins.all.map(\.kind) == [.consumable, .consumable])
        #expect(coins.active.isEmpty)
    }

    @Test("Evidence from Xcode has no effect in other environments, and the reverse")
    func otherEnvironments() throws {
        let xcode = try token("pro", "2024-06-01") + receipt(.kept("maps", "1", "2024-06-01"))
        let sandbox = try Evidence.kept("pro", "0", "2024-06-01", signed: "2024-07-01") {
            $0.revocationDate = moment("2024-06-15")
        }
        let both = xcode + sandbox
        #expect(
            both.entitlements(at: "2024-07-05", in: .sandbox) == sandbox.entitlements(at: "2024-07-05", in: .sandbox))
        #expect(both.entitlements(at: "2024-07-05", in: .xcode) == xcode.entitlements(at: "2024-07-05", in: .xcode))
        #expect(both.entitlements(at: "2024-07-05", in: .production).all.isEmpty)
        #expect(xcode.entitlements(at: "2024-07-05", in: .xcode).active.map(\.productIdentifier) == ["maps", "pro"])
        #expect(sandbox.state("pro", at: "2024-07-05") == .refunded)
    }

    @Test("Outside of Xcode, 0 is an ordinary identifier")
    func zeroOutsideOfXcode() throws {
        let evidence = try Evidence.period("plus", "0", "2024-06-01", "2024-07-01", original: "0")
        #expect(evidence.entitlements(at: "2024-06-15")["plus"]?.originalTransactionIdentifier == "0")
    }
}
