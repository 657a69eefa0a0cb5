import AppReceiptKit
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing

@Suite("InMemoryTransactionHistory")
struct InMemoryTransactionHistoryTests {
    private static func known(
        _ history: InMemoryTransactionHistory, _ originals: Set<String> = ["1"], app: String = "com.example.app",
        _ environment: AppStoreEnvironment = .sandbox
    ) -> CustomerEvidence {
        history.history(of: originals, app: app, environment: environment)
    }

    @Test("Of copies of a transaction, the one that was signed last is kept, in any order of arrival")
    func newestTransaction() throws {
        let copies = try [
            ReceiptFixtures.transaction(1, signed: "2024-07-10T00:00:00Z"),
            ReceiptFixtures.transaction(1, signed: "2024-07-20T00:00:00Z", revoked: "2024-07-15T00:00:00Z"),
            ReceiptFixtures.transaction(1, signed: "2024-07-15T00:00:00Z"),
        ].map(VerifiedFixtures.transaction)
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
            let history = InMemoryTransactionHistory()
            for index in order { history.add(copies[index]) }
            #expect(Self.known(history).transactions == [copies[1]])
        }
    }

    @Test("Of copies that were signed at the same time, a revoked one is kept, in any order of arrival")
    func revokedAtSameTime() throws {
        let copies = try [
            ReceiptFixtures.transaction(1), ReceiptFixtures.transaction(1, revoked: "2024-07-15T00:00:00Z"),
            ReceiptFixtures.transaction(1).with { $0.quantity = 2 },
        ].map(VerifiedFixtures.transaction)
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2], [2, 0, 1]] {
            let history = InMemoryTransactionHistory()
            for index in order { history.add(copies[index]) }
            #expect(Self.known(history).transactions == [copies[1]])
        }
    }

    @Test("The newest renewal information is kept, in any order of arrival")
    func newestRenewal() throws {
        let renewals = try [("2024-07-10", AutoRenewStatus.on), ("2024-07-20", .off), ("2024-07-15", .on)].map {
            signed, status in
            try VerifiedFixtures.renewal(
                TestRenewalInfo("com.example.plus", original: "1").with {
                    $0.signedDate = instant(signed + "T00:00:00Z")
                    $0.autoRenewStatus = status
                })
        }
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
            let history = InMemoryTransactionHistory()
            for index in order { history.add(renewals[index], app: "com.example.app") }
            #expect(Self.known(history).renewals == [renewals[1]])
            #expect(Self.known(history, app: "com.example.other").renewals.isEmpty)
        }
    }

    @Test("The newest receipt of each original transaction is kept, in any order of arrival")
    func newestReceipt() throws {
        let old = try VerifiedFixtures.receipt([ReceiptFixtures.period(1), ReceiptFixtures.period(2, of: 2)])
        let new = try VerifiedFixtures.receipt([ReceiptFixtures.period(1)], created: "2024-09-01T00:00:00Z")
        for order in [[old, new], [new, old], [new, old, new, old]] {
            let history = InMemoryTransactionHistory()
            for receipt in order { history.add(receipt) }
            #expect(Self.known(history).receipts == [new])
            #expect(Self.known(history, ["2"]).receipts == [old])
            #expect(Self.known(history, ["1", "2"]).receipts == [new, old])
            #expect(Self.known(history, ["3"]).receipts.isEmpty)
            #expect(Self.known(history, app: "com.example.other").receipts.isEmpty)
        }
    }

    @Test("An older receipt is kept while it is the newest to list a canceled transaction")
    func canceled() throws {
        let canceled = try VerifiedFixtures.receipt(
            [ReceiptFixtures.period(1, canceled: "2024-06-20T00:00:00Z")], created: "2024-07-01T00:00:00Z")
        let newer = try VerifiedFixtures.receipt([ReceiptFixtures.period(2)], created: "2024-08-01T00:00:00Z")
        let listing = try VerifiedFixtures.receipt(
            [ReceiptFixtures.period(1), ReceiptFixtures.period(2)], created: "2024-09-01T00:00:00Z")
        for order in [[canceled, newer], [newer, canceled]] {
            let history = InMemoryTransactionHistory()
            for receipt in order { history.add(receipt) }
            #expect(Self.known(history).receipts == [newer, canceled])
            history.add(listing)
            #expect(Self.known(history).receipts == [listing])
            history.add(canceled)
            #expect(Self.known(history).receipts == [listing])
        }
    }

    @Test("Evidence of another app, environment or original transaction isn't returned")
    func separation() throws {
        let history = InMemoryTransactionHistory()
        history.add(try VerifiedFixtures.transaction(ReceiptFixtures.transaction(1)))
        history.add(
            try VerifiedFixtures.transaction(
                ReceiptFixtures.transaction(1).with {
                    $0.environment = .production
                    $0.transactionIdentifier = "7"
                }))
        history.add(try VerifiedFixtures.receipt([ReceiptFixtures.period(1)]))
        func known(_ originals: Set<String>, _ app: String, _ environment: AppStoreEnvironment) -> [String?] {
            Self.known(history, originals, app: app, environment).transactions.map(\.claims.transactionIdentifier)
        }
        #expect(known(["1"], "com.example.app", .sandbox) == ["1"])
        #expect(known(["1"], "com.example.app", .production) == ["7"])
        #expect(known(["1"], "com.example.other", .sandbox).isEmpty)
        #expect(known(["2"], "com.example.app", .sandbox).isEmpty)
        #expect(Self.known(history, ["1"], .production).receipts.isEmpty)
    }

    @Test("A transaction without an original transaction is its own original")
    func ownOriginal() throws {
        let history = InMemoryTransactionHistory()
        let transaction = try VerifiedFixtures.transaction(
            ReceiptFixtures.transaction(5).with { $0.overrides["originalTransactionId"] = .null })
        history.add(transaction)
        #expect(Self.known(history, ["5"]).transactions == [transaction])
        history.add(
            try VerifiedFixtures.transaction(
                ReceiptFixtures.transaction(6).with { $0.overrides["transactionId"] = .null }))
        history.add(
            try VerifiedFixtures.transaction(ReceiptFixtures.transaction(7).with { $0.overrides["bundleId"] = .null }))
        #expect(Self.known(history, ["1", "6", "7"]).transactions.isEmpty)
    }

    @Test(
        "A notification adds its transaction and renewal information, even if its UUID was added before")
    func notification() throws {
        let history = InMemoryTransactionHistory()
        history.add(
            try VerifiedFixtures.notification(
                .didRenew, ReceiptFixtures.transaction(2), TestRenewalInfo("com.example.plus", original: "1")))
        #expect(Self.known(history).transactions.count == 1)
        #expect(Self.known(history).renewals.count == 1)
        history.add(
            try VerifiedFixtures.notification(
                .refund, ReceiptFixtures.transaction(2, signed: "2024-12-02T00:00:00Z", revoked: "2024-12-01T00:00:00Z")
            ))
        #expect(
            Self.known(history).transactions.map(\.claims.revocationDate) == [instant("2024-12-01T00:00:00Z")])
    }
}
