import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

@Suite("PurchaseLedger")
struct PurchaseLedgerTests {
    @Test("A transaction counts once, and copies with other identifiers are kept")
    func once() throws {
        let first = TestPurchase.kept("pro", "1", "2024-01-01")
        let restored = first.with { purchase in
            purchase.transactionIdentifier = "2"
            purchase.originalTransactionIdentifier = "1"
        }
        #expect(try ReceiptTestCase.bought(restored, first, first).purchases().transactions == ["1", "2"])
    }

    @Test("The default date isn't before a transaction receipt's purchase, unless there is other evidence")
    func dateOfTransactionReceipt() throws {
        let purchase = try ReceiptTestCase.bought(.kept("pro", "1", "2031-11-15")).purchase()
        let transaction = TransactionEvidence(purchase, from: .transactionReceipt, signed: moment("2031-11-15"))
        func date(_ receipts: [PurchaseLedger.ReceiptEvidence]) -> Date {
            let ledger = PurchaseLedger(environment: .production, receipts: receipts, transactions: [transaction])
            return Entitlements(ledger, now: moment("2024-01-01")).date
        }
        #expect(date([]) == moment("2031-11-15"))
        #expect(
            date([PurchaseLedger.ReceiptEvidence(creationDate: moment("2024-02-01"), transactions: [])])
                == moment("2024-02-01"))
    }

    @Test("The evidence that decided is the newest of what the state depends on")
    func decisiveEvidence() throws {
        func receipt(_ date: String, _ transactions: AppStoreTransaction...) -> PurchaseLedger.ReceiptEvidence {
            PurchaseLedger.ReceiptEvidence(creationDate: moment(date), transactions: transactions)
        }
        let purchase = try ReceiptTestCase.bought(.kept("pro", "1", "2024-01-01")).purchase()
        let refunded = purchase.with { $0.revocation = AppStoreTransaction.Revocation(moment("2024-02-15")) }
        let token = TransactionEvidence(refunded, from: .token, signed: moment("2024-03-01"), token: "token")
        func decided(
            _ receipts: [PurchaseLedger.ReceiptEvidence], _ tokens: [TransactionEvidence] = []
        ) -> [PurchaseLedger.DecisiveEvidence?] {
            let ledger = PurchaseLedger(environment: .production, receipts: receipts, transactions: tokens)
            return ledger.decisiveEvidence(for: Entitlements(ledger, at: moment("2024-06-01")).all)
        }
        let owned = decided([receipt("2024-04-01", purchase), receipt("2024-02-01", purchase)])
        #expect(owned.map { $0?.kind } == [.receipt])
        #expect(owned.map { $0?.signedDate } == [moment("2024-04-01")])
        // A later receipt that still lists the purchase doesn't decide about the refund.
        let isRefunded = decided([receipt("2024-04-01", purchase)], [token])
        #expect(isRefunded.map { $0?.kind } == [.transaction])
        #expect(isRefunded.map { $0?.signedDate } == [moment("2024-03-01")])
        #expect(decided([]).isEmpty)
    }

    @Test("The positions of a receipt's transactions are those of the merged ones, in every order of the receipt")
    func positions() throws {
        func purchase(_ transaction: String, _ date: String, canceled: String? = nil) throws -> AppStoreTransaction {
            try ReceiptTestCase.bought(
                .kept("pro", transaction, date).with { $0.cancellationDate = canceled.map { moment($0) } }
            ).purchase()
        }
        let receipt = [
            try purchase("1", "2024-01-01"), try purchase("2", "2024-01-02"), try purchase("3", "2024-01-03"),
        ]
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2], [0, 1, 2, 0], [1, 1]] {
            let claimed = order.map { receipt[$0] }
            let ledger = PurchaseLedger(
                environment: .production,
                receipts: [PurchaseLedger.ReceiptEvidence(creationDate: moment("2024-02-01"), transactions: claimed)])
            let positions = ledger.positions(of: claimed)
            #expect(
                positions.map { $0.map { ledger.transactions[$0].transactionIdentifier } }
                    == claimed.map(\.transactionIdentifier))
        }
        // Newer evidence cancels the second one.
        let ledger = PurchaseLedger(
            environment: .production,
            receipts: [
                PurchaseLedger.ReceiptEvidence(creationDate: moment("2024-02-01"), transactions: receipt.reversed()),
                PurchaseLedger.ReceiptEvidence(
                    creationDate: moment("2024-03-01"),
                    transactions: [try purchase("2", "2024-01-02", canceled: "2024-02-15")]),
            ])
        #expect(ledger.positions(of: receipt) == [0, 1, 2])
        #expect(ledger.transactions[1].cancellationDate == moment("2024-02-15"))
        #expect(ledger.positions(of: [try purchase("4", "2024-01-01")]) == [nil])
    }

    @Test("Purchases without a transaction identifier are all kept")
    func unidentified() throws {
        let pro = TestPurchase.kept("pro", "1", "2024-01-01").without(1703)
        #expect(try ReceiptTestCase.bought(pro, pro).purchases().transactions == [nil, nil])
    }

    @Test("Each property has the value of the newest receipt that contains it")
    func fieldByField() throws {
        let old = TestPurchase.kept("pro", "1", "2024-01-01").with { purchase in
            purchase.quantity = 2
            purchase.promotionalOfferIdentifier = "come-back"
            purchase.webOrderLineItemIdentifier = 7
        }
        let new = old.with { purchase in
            purchase.quantity = 3
            purchase.promotionalOfferIdentifier = nil
            purchase.webOrderLineItemIdentifier = 0
        }
        let receipts = [
            ReceiptTestCase.created("2024-02-01", old), ReceiptTestCase.created("2024-03-01", new.without(1704)),
        ]
        for testCases in [receipts, receipts.reversed()] {
            let purchases = try entitlements(testCases).transactions
            #expect(purchases.count == 1)
            let purchase = try #require(purchases.first)
            #expect(purchase.quantity == 3)
            #expect(purchase.promotionalOfferIdentifier == "come-back")
            #expect(purchase.webOrderLineItemIdentifier == 7)
            #expect(purchase.purchaseDate == day("2024-01-01"))
        }
    }

    private func entitlements(_ testCases: [ReceiptTestCase]) throws -> Entitlements {
        Entitlements(
            bundleIdentifier: "com.example.app", environment: .sandbox,
            receipts: try testCases.map { try $0.verified() },
            at: day("2024-05-01"))
    }
}
