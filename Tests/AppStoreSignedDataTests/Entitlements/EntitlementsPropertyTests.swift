import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing

/// Properties of entitlements that are true for all evidence, tested with random samples.
@Suite("Properties of entitlements")
struct EntitlementsPropertyTests {
    @Test("The order of arrival and copies of evidence have no effect")
    func order() throws {
        let pool = try Pool()
        var generator = SeededGenerator(seed: 41)
        for round in 0..<150 {
            let evidence = pool.sample(&generator)
            let date = Pool.date(&generator)
            let expected = evidence.entitlements(at: date)
            for _ in 0..<3 {
                #expect(evidence.shuffled(&generator).entitlements(at: date) == expected, "round \(round), \(date)")
            }
            let twice = (evidence + evidence.sample(&generator)).shuffled(&generator)
            #expect(twice.entitlements(at: date) == expected, "round \(round), \(date)")
        }
    }

    @Test("A newer token with a revocation never makes a product active")
    func revocation() throws {
        let pool = try Pool()
        var generator = SeededGenerator(seed: 42)
        for round in 0..<300 {
            let evidence = pool.sample(&generator)
            let known = Set(evidence.entitlements(at: Pool.start).transactions.compactMap(\.transactionIdentifier))
            guard
                let token = pool.revocations.filter({ known.contains($0.transaction) }).randomElement(using: &generator)
            else { continue }
            for _ in 0..<4 {
                let date = Pool.date(&generator)
                // A revocation has no effect before its date.
                guard moment(date) >= token.revoked else { continue }
                let before = evidence.entitlements(at: date)
                let after = (evidence + token.evidence).entitlements(at: date)
                let gained = Set(after.active.map(\.productIdentifier)).subtracting(
                    before.active.map(\.productIdentifier))
                // A period that was revoked before it began doesn't end the one before it.
                let start = before.transactions.first { $0.transactionIdentifier == token.transaction }?.purchaseDate
                if let start, token.revoked < start { continue }
                #expect(gained.isEmpty, "round \(round), \(date), transaction \(token.transaction)")
                let revoked = after.active.contains { $0.transactionIdentifier == token.transaction }
                #expect(!revoked, "round \(round), \(date), transaction \(token.transaction)")
                let purchase = after.transactions.first { $0.transactionIdentifier == token.transaction }
                #expect(purchase?.cancellationDate == token.revoked, "round \(round), transaction \(token.transaction)")
            }
        }
    }

    @Test("A receipt never clears a token's revocation")
    func receiptsDoNotClear() throws {
        let pool = try Pool()
        var generator = SeededGenerator(seed: 43)
        for round in 0..<100 {
            guard let token = pool.revocations.randomElement(using: &generator) else { continue }
            let evidence = (pool.sample(&generator) + token.evidence + Evidence(receipts: pool.sandbox.receipts))
                .shuffled(&generator)
            let purchase = evidence.entitlements(at: Pool.start).transactions.first {
                $0.transactionIdentifier == token.transaction
            }
            #expect(purchase?.cancellationDate == token.revoked, "round \(round), transaction \(token.transaction)")
        }
    }

    @Test("Evidence of another environment or app never changes anything")
    func scope() throws {
        let pool = try Pool()
        var generator = SeededGenerator(seed: 44)
        for round in 0..<100 {
            let evidence = pool.sample(&generator)
            let other = pool.other.sample(&generator)
            let date = Pool.date(&generator)
            let mixed = (evidence + other).shuffled(&generator)
            #expect(mixed.entitlements(at: date) == evidence.entitlements(at: date), "round \(round), \(date)")
            #expect(
                mixed.entitlements(at: date, in: .production) == other.entitlements(at: date, in: .production),
                "round \(round), \(date)")
        }
    }

    @Test("The properties of every entitlement are consistent")
    func consistency() throws {
        let pool = try Pool()
        var generator = SeededGenerator(seed: 45)
        for round in 0..<200 {
            let evidence = pool.sample(&generator)
            let date = Pool.date(&generator)
            let entitlements = evidence.entitlements(at: date)
            let products = entitlements.all.filter { $0.kind != .consumable && $0.kind != .nonRenewing }
            #expect(Set(products.map(\.productIdentifier)).count == products.count)
            for entitlement in entitlements.all {
                #expect(Self.isConsistent(entitlement, at: moment(date)), "round \(round), \(date), \(entitlement)")
            }
        }
    }

    private static func isConsistent(_ entitlement: Entitlement, at date: Date) -> Bool {
        let hasBegun = entitlement.since.map { $0 <= date } ?? true
        let hasEnded = entitlement.until.map { $0 <= date }
        let hasConsistentDates =
            switch entitlement.state {
            case .owned: entitlement.kind != .subscription && entitlement.until == nil && hasBegun
            case .active, .gracePeriod: entitlement.kind == .subscription && hasBegun && hasEnded == false
            case .billingRetry, .expired: entitlement.kind == .subscription && hasBegun && hasEnded == true
            case .renewalUnknown, .upgraded: entitlement.kind == .subscription && hasBegun && hasEnded != false
            case .notStarted: !hasBegun
            case .refunded, .revoked: hasBegun && hasEnded == true
            }
        let isActive =
            switch (entitlement.state, entitlement.kind) {
            case (.active, _), (.gracePeriod, _), (.owned, .nonConsumable), (.owned, .unknown): true
            default: false
            }
        let sentence = entitlement.customerSentence()
        let isCalledActive = [" is active", " runs until", " stays active", " is valid"].contains {
            sentence.contains($0)
        }
        return hasConsistentDates && entitlement.isActive == isActive && !entitlement.reason.isEmpty
            && (isCalledActive == isActive || sentence.contains("refunded") && entitlement.state == .owned)
            && (entitlement.nextStep == nil) == (isActive && entitlement.state != .gracePeriod)
    }
}

/// Signed evidence from which random sets are drawn. A few dozen tokens are enough for thousands of sets.
private struct Pool {
    static let start = "2024-06-01"

    /// Evidence from the sandbox.
    private(set) var sandbox = Evidence()
    /// Evidence for the same transactions from production and from another app.
    private(set) var other = Evidence()
    /// Tokens with a revocation that were signed after all other evidence.
    private(set) var revocations: [(transaction: String, revoked: Date, evidence: Evidence)] = []

    /// A transaction: silver changes to gold and back, bronze has another original, the others are bought once.
    private struct Product {
        let name: String
        let transaction: String
        let original: String
        let start: String
        var end: String?
        var extendedEnd: String?
        var type = SignedProductType.autoRenewableSubscription
    }

    private static let products = [
        Product(
            name: "silver", transaction: "1", original: "1", start: "2024-06-01", end: "2024-07-01",
            extendedEnd: "2024-07-04"),
        Product(
            name: "silver", transaction: "11", original: "1", start: "2024-06-01", end: "2024-07-01",
            extendedEnd: "2024-07-04"),
        Product(
            name: "gold", transaction: "2", original: "1", start: "2024-06-20", end: "2024-07-20",
            extendedEnd: "2024-07-25"),
        Product(
            name: "gold", transaction: "3", original: "1", start: "2024-07-20", end: "2024-08-20",
            extendedEnd: "2024-09-01"),
        Product(
            name: "silver", transaction: "4", original: "1", start: "2024-08-25", end: "2024-09-25",
            extendedEnd: "2024-10-01"),
        Product(
            name: "silver", transaction: "5", original: "5", start: "2024-07-10", end: "2024-08-10",
            extendedEnd: "2024-08-12"),
        Product(name: "pro", transaction: "6", original: "6", start: "2024-06-05", type: .nonConsumable),
        Product(name: "pro", transaction: "7", original: "6", start: "2024-07-05", type: .nonConsumable),
        Product(name: "pro", transaction: "8", original: "8", start: "2024-08-05", type: .nonConsumable),
        Product(name: "coins", transaction: "9", original: "9", start: "2024-07-01", type: .consumable),
        Product(name: "pass", transaction: "10", original: "10", start: "2024-07-01", type: .nonRenewingSubscription),
    ]

    private static let signed = ["2024-07-02", "2024-07-22", "2024-08-21", "2024-09-26"]

    init() throws {
        var generator = SeededGenerator(seed: 40)
        for product in Self.products {
            for index in 0..<5 {
                let token = try Self.token(product, Self.signed[index % Self.signed.count]) { made in
                    switch Int.random(in: 0..<6, using: &generator) {
                    case 0: made.revocationDate = made.purchaseDate.addingTimeInterval(86_400 * 8)
                    case 1: made.overrides["isUpgraded"] = true
                    case 2: made.expirationDate = product.extendedEnd.map(moment) ?? made.expirationDate
                    case 3: made.overrides["multiSeatInfo"] = .object(["invitationManagement": "APPLE"])
                    case 4: made.ownership = .familyShared
                    default: made.quantity = 2
                    }
                }
                sandbox = sandbox + token
            }
            let foreign = try Self.token(product, "2024-10-01") { made in
                made.environment = .production
                made.revocationDate = Bool.random(using: &generator) ? moment("2024-08-01") : nil
            }
            let otherApp = try Self.token(product, "2024-10-01") { made in
                made.bundleIdentifier = "com.example.other"
                made.revocationDate = moment("2024-06-01")
            }
            other = other + foreign + otherApp
            for revoked in [product.start, "2024-08-15"] {
                let token = try Self.token(product, "2024-11-01") { $0.revocationDate = moment(revoked) }
                revocations.append((product.transaction, moment(revoked), token))
            }
        }
        for created in Self.signed + Self.signed {
            sandbox.receipts.append(try Self.receipt(created, .productionSandbox, &generator))
            other.receipts.append(try Self.receipt(created, .production, &generator))
        }
        for original in ["1", "5"] {
            for signed in Self.signed + Self.signed {
                sandbox = sandbox + (try Self.renewal(original, signed, .sandbox, &generator))
            }
            other = other + (try Self.renewal(original, "2024-10-01", .production, &generator))
        }
    }

    private static func token(
        _ product: Product, _ signed: String, _ change: (inout TestTransaction) -> Void
    ) throws -> Evidence {
        let made = TestTransaction(
            product.name, transaction: product.transaction, original: product.original, at: moment(product.start),
            until: product.end.map(moment))
        return try .token(made.with { $0.productType = product.type }, signed: signed, change)
    }

    /// Some of the transactions that had begun when the receipt was created.
    private static func receipt(
        _ created: String, _ environment: ReceiptEnvironment, _ generator: inout SeededGenerator
    ) throws -> VerifiedReceipt {
        var made = TestReceipt().with { receipt in
            receipt.creationDate = moment(created)
            receipt.environment = environment
        }
        for product in products where product.start < created && Int.random(in: 0..<4, using: &generator) > 0 {
            let type: InAppPurchase.ProductType =
                switch product.type {
                case .autoRenewableSubscription: .autoRenewableSubscription
                case .nonConsumable: .nonConsumable
                case .consumable: .consumable
                default: .nonRenewingSubscription
                }
            var purchase = TestPurchase(
                product.name, transaction: product.transaction, at: moment(product.start), type: type)
            purchase.originalTransactionIdentifier = product.original
            let isExtended = Int.random(in: 0..<4, using: &generator) == 0
            purchase.expirationDate = (isExtended ? product.extendedEnd : product.end).map(moment)
            if Int.random(in: 0..<5, using: &generator) == 0 {
                purchase.cancellationDate = moment(product.start).addingTimeInterval(86_400 * 19)
            }
            made.purchases.append(purchase)
        }
        return try Evidence.verified(made)
    }

    private static func renewal(
        _ original: String, _ signed: String, _ environment: SignedDataEnvironment, _ generator: inout SeededGenerator
    ) throws -> Evidence {
        let choice = Int.random(in: 0..<4, using: &generator)
        return try .renewal("silver", original: original, signed: signed) { renewal in
            renewal.environment = environment
            switch choice {
            case 0: renewal.gracePeriodExpirationDate = renewal.signedDate.addingTimeInterval(86_400 * 16)
            case 1: renewal.isInBillingRetryPeriod = true
            case 2: renewal.expirationIntent = .canceled
            default: renewal.autoRenewStatus = .off
            }
        }
    }

    /// A random part of the sandbox's evidence.
    func sample(_ generator: inout SeededGenerator) -> Evidence { sandbox.sample(&generator) }

    /// A day from May to November 2024.
    static func date(_ generator: inout SeededGenerator) -> String {
        let days = Int.random(in: 0..<190, using: &generator)
        return ReceiptDate.string(from: moment("2024-05-20").addingTimeInterval(Double(days) * 86_400))
    }
}

extension Evidence {
    /// A random part, at most a quarter of each kind on average.
    func sample(_ generator: inout SeededGenerator) -> Evidence {
        Evidence(
            receipts: receipts.filter { _ in Int.random(in: 0..<4, using: &generator) == 0 },
            transactions: transactions.filter { _ in Int.random(in: 0..<4, using: &generator) == 0 },
            renewals: renewals.filter { _ in Int.random(in: 0..<4, using: &generator) == 0 })
    }

    func shuffled(_ generator: inout SeededGenerator) -> Evidence {
        Evidence(
            receipts: receipts.shuffled(using: &generator), transactions: transactions.shuffled(using: &generator),
            renewals: renewals.shuffled(using: &generator))
    }
}
