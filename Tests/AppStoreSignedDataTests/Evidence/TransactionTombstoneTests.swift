import AppReceiptKit
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing

/// What deletes evidence and keeps tombstones is compared with what keeps everything.
@Suite("Tombstones of transactions")
struct TransactionTombstoneTests {
    private static let app = "com.example.app"
    private static let originals: Set = ["1", "9"]

    @Test("Older evidence that arrives again after the deletion changes no revocation and no upgrade, in any order")
    func olderEvidence() throws {
        let pool = try Self.pool()
        var generator = SeededGenerator(seed: 71)
        for round in 0..<400 {
            let seen = pool.sample(&generator)
            // Some of it again, and perhaps something new.
            let (older, newer) = (seen.sample(&generator), pool.sample(&generator))
            let again = (Bool.random(using: &generator) ? older : older + newer).shuffled(&generator)
            let forgotten = Self.ledger(again, beside: try Self.forget(seen))
            let complete = Self.states(Self.ledger(seen + again))
            let arrived = Self.states(Self.ledger(again)).keys
            for (transaction, state) in Self.states(forgotten) {
                #expect(state == complete[transaction], "round \(round), transaction \(transaction)")
                #expect(state.revocation != nil || arrived.contains(transaction), "round \(round)")
            }
            #expect(Set(arrived).isSubset(of: Self.states(forgotten).keys), "round \(round)")
        }
    }

    @Test("What is deleted again and again has the state of everything that ever arrived")
    func repeatedDeletion() throws {
        let pool = try Self.pool()
        var generator = SeededGenerator(seed: 72)
        for round in 0..<100 {
            var (seen, last) = (Evidence(), Evidence())
            var tombstones: [TransactionTombstone] = []
            for _ in 0..<4 {
                tombstones = try Self.forget(last, beside: tombstones)
                last = pool.sample(&generator)
                seen = seen + last
            }
            let complete = Self.states(Self.ledger(seen))
            for (transaction, state) in Self.states(Self.ledger(last, beside: tombstones)) {
                #expect(state == complete[transaction], "round \(round), transaction \(transaction)")
            }
            #expect(Set(tombstones.map(\.text)).count == tombstones.count)
            #expect(tombstones.count <= 2 * 3)
        }
    }

    @Test("A refund that was reversed before the deletion stays reversed")
    func reversed() throws {
        let refund = try Self.token("1", signed: "2024-08-01", revoked: "2024-07-20")
        let reversal = try Self.token("1", signed: "2024-09-01")
        let tombstones = try Self.forget(refund + reversal)
        #expect(Self.ledger(refund, beside: tombstones).transactions.map(\.hasRevocation) == [false])
        let second = try Self.token("1", signed: "2024-10-01", revoked: "2024-09-20")
        #expect(Self.ledger(second, beside: tombstones).transactions.map(\.hasRevocation) == [true])
    }

    @Test("A tombstone alone grants nothing, and states only a revocation")
    func alone() throws {
        let bought = try Self.token("1", signed: "2024-06-01")
        #expect(Self.ledger(Evidence(), beside: try Self.forget(bought)).transactions.isEmpty)
        let canceled = try Self.receipt("2024-08-01", ["1": "2024-07-20"])
        let reversal = try Self.token("1", signed: "2024-09-01")
        #expect(Self.ledger(Evidence(), beside: try Self.forget(canceled + reversal)).transactions.isEmpty)
        let ledger = Self.ledger(Evidence(), beside: try Self.forget(canceled))
        #expect(ledger.transactions.map(\.hasRevocation) == [true])
        let entitlements = Entitlements(ledger, now: moment("2025-01-01"))
        #expect(entitlements.active.isEmpty)
    }

    @Test("A tombstone of what isn't revoked contains identifiers and the date of signing only")
    func members() throws {
        let bought = try Self.token("1", signed: "2024-06-01")
        let texts = try Self.forget(bought).map(\.text)
        #expect(texts == [#"{"signedDate":1717200000000,"transactionId":"1","originalTransactionId":"1"}"#])
    }

    // MARK: Evidence

    /// A transaction, as far as tombstones decide about it.
    private struct State: Equatable {
        let revocation: AppStoreTransaction.Revocation?
        let isUpgraded: Bool?
    }

    private static func states(_ ledger: PurchaseLedger) -> [String: State] {
        ledger.transactions.reduce(into: [:]) { states, transaction in
            guard let identifier = transaction.transactionIdentifier else { return }
            states[identifier] = State(revocation: transaction.revocation, isUpgraded: transaction.isUpgraded)
        }
    }

    private static func ledger(_ evidence: Evidence, beside tombstones: [TransactionTombstone] = []) -> PurchaseLedger {
        PurchaseLedger(customer(evidence, tombstones), app: app, environment: .sandbox, originals: originals)
    }

    private static func customer(_ evidence: Evidence, _ tombstones: [TransactionTombstone]) -> CustomerEvidence {
        var customer = CustomerEvidence(receipts: evidence.receipts, transactions: evidence.transactions)
        customer.tombstones = tombstones
        return customer
    }

    /// Deletes evidence, and returns what remains of it once it was stored.
    private static func forget(
        _ evidence: Evidence, beside tombstones: [TransactionTombstone] = []
    ) throws -> [TransactionTombstone] {
        try customer(evidence, tombstones).tombstones(app: app, environment: .sandbox, originals: originals).map {
            try #require(TransactionTombstone(parsing: $0.text, app: app, environment: .sandbox))
        }
    }

    private static func token(
        _ identifier: String, signed: String, revoked: String? = nil, reason: Int64? = nil, isUpgraded: Bool = false
    ) throws -> Evidence {
        let month = identifier == "2" ? 7 : 6
        let made =
            identifier == "9"
            ? TestTransaction("com.example.pro", transaction: "9", at: moment("2024-06-01"))
            : TestTransaction(
                "com.example.plus", transaction: identifier, original: "1", at: moment("2024-0\(month)-01"),
                until: moment("2024-0\(month + 1)-01"))
        return try Evidence.token(made, signed: signed) {
            $0.revocationDate = revoked.map(moment)
            if let reason { $0.overrides["revocationReason"] = .number(AppStoreJSON.Number(reason)) }
            if isUpgraded { $0.overrides["isUpgraded"] = true }
        }
    }

    /// A receipt that lists transactions, each with its cancellation date or "".
    private static func receipt(_ created: String, _ transactions: [String: String]) throws -> Evidence {
        let purchases = transactions.sorted { $0.key < $1.key }.map { identifier, canceled in
            var purchase =
                identifier == "9"
                ? TestPurchase("com.example.pro", transaction: "9", at: moment("2024-06-01"))
                : TestPurchase.period(
                    "com.example.plus", identifier, identifier == "2" ? "2024-07-01" : "2024-06-01",
                    identifier == "2" ? "2024-08-01" : "2024-07-01")
            purchase.cancellationDate = canceled.isEmpty ? nil : moment(canceled)
            return purchase
        }
        let made = TestReceipt().with {
            $0.creationDate = moment(created)
            $0.purchases = purchases
        }
        return Evidence(receipts: [try Evidence.verified(made)])
    }

    /// Tokens and receipts of three transactions that were refunded, given back and upgraded at different times.
    private static func pool() throws -> Evidence {
        var pool = Evidence()
        for identifier in ["1", "2", "9"] {
            pool = try Evidence.all(
                pool, token(identifier, signed: "2024-08-01"),
                token(identifier, signed: "2024-09-01", revoked: "2024-08-20", reason: 1),
                token(identifier, signed: "2024-09-15", revoked: "2024-08-20"),
                token(identifier, signed: "2024-10-01"),
                token(identifier, signed: "2024-11-01", revoked: "2024-10-20"),
                token(identifier, signed: "2024-11-01"),
                token(identifier, signed: "2024-12-01"))
            if identifier == "9" { continue }
            pool = try pool + token(identifier, signed: "2024-10-15", isUpgraded: true)
        }
        return try Evidence.all(
            pool, receipt("2024-08-02", ["1": "", "2": "", "9": ""]),
            receipt("2024-09-02", ["1": "2024-08-20", "2": "", "9": "2024-08-20"]),
            receipt("2024-10-02", ["1": "", "2": "2024-09-20", "9": ""]),
            receipt("2024-11-02", ["1": "2024-10-20", "9": "2024-10-20"]))
    }
}
