import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing

@Suite("TransactionMerge")
struct TransactionMergeTests {
    /// One source's statement about a transaction, signed on a day of July 2024.
    struct Statement: Sendable, CustomTestStringConvertible {
        var isToken: Bool
        var day: Int
        var isRevoked = false
        var isUpgraded = false
        var end = "2024-09-01"

        static func token(_ day: Int, revoked: Bool = false, upgraded: Bool = false, end: String = "2024-09-01") -> Self
        {
            Self(isToken: true, day: day, isRevoked: revoked, isUpgraded: upgraded, end: end)
        }

        static func receipt(_ day: Int, revoked: Bool = false, end: String = "2024-09-01") -> Self {
            Self(isToken: false, day: day, isRevoked: revoked, end: end)
        }

        var testDescription: String {
            "\(isToken ? "token" : "receipt") \(day)\(isRevoked ? " revoked" : "")\(isUpgraded ? " upgraded" : "") \(end)"
        }

        private var signed: String { "2024-07-1\(day)" }

        /// The statement about a purchase of 2024-06-01, revoked 2024-06-15.
        func evidence(_ type: SignedProductType) throws -> Evidence {
            let isPeriod = type == .autoRenewableSubscription
            guard isToken else {
                let made = TestPurchase("product", transaction: "1", at: moment("2024-06-01"), type: receiptType(type))
                    .with { purchase in
                        purchase.expirationDate = isPeriod ? moment(end) : nil
                        purchase.cancellationDate = isRevoked ? moment("2024-06-15") : nil
                    }
                return try .receipt(created: signed, made)
            }
            let made = TestTransaction(
                "product", transaction: "1", original: "1", at: moment("2024-06-01"),
                until: isPeriod ? moment(end) : nil)
            return try .token(made, signed: signed) { transaction in
                transaction.productType = type
                transaction.revocationDate = isRevoked ? moment("2024-06-15") : nil
                if isUpgraded { transaction.overrides["isUpgraded"] = true }
            }
        }

        private func receiptType(_ type: SignedProductType) -> InAppPurchase.ProductType {
            switch type {
            case .autoRenewableSubscription: .autoRenewableSubscription
            case .consumable: .consumable
            case .nonRenewingSubscription: .nonRenewingSubscription
            default: .nonConsumable
            }
        }
    }

    /// The entitlement, which must be equal for every order of arrival.
    private func entitlement(_ statements: [Statement], _ type: SignedProductType, at date: String) throws
        -> Entitlement
    {
        let evidence = try statements.map { try $0.evidence(type) }
        let all = permutations(evidence).map { $0.reduce(Evidence(), +).entitlements(at: date).all }
        #expect(Set(all).count == 1)
        let first = try #require(all.first)
        try #require(first.count == 1)
        return first[0]
    }

    private func permutations(_ parts: [Evidence]) -> [[Evidence]] {
        guard parts.count > 1 else { return [parts] }
        return parts.indices.flatMap { index in
            var others = parts
            let part = others.remove(at: index)
            return permutations(others).map { [part] + $0 }
        }
    }

    @Test(
        "A token's revocation is cleared only by a later token, a receipt's by any later source",
        arguments: [
            ([.token(1)], false), ([.receipt(1)], false), ([.token(1, revoked: true)], true),
            ([.receipt(1, revoked: true)], true),
            // Token and token.
            ([.token(1, revoked: true), .token(2)], false), ([.token(1), .token(2, revoked: true)], true),
            ([.token(1), .token(1, revoked: true)], true),
            // Receipt and receipt.
            ([.receipt(1, revoked: true), .receipt(2)], false), ([.receipt(1), .receipt(2, revoked: true)], true),
            ([.receipt(1), .receipt(1, revoked: true)], true),
            // Token, then receipt.
            ([.token(1, revoked: true), .receipt(2)], true), ([.token(1), .receipt(2, revoked: true)], true),
            // Receipt, then token.
            ([.receipt(1, revoked: true), .token(2)], false), ([.receipt(1), .token(2, revoked: true)], true),
            // Token and receipt at the same time.
            ([.token(1), .receipt(1, revoked: true)], true), ([.token(1, revoked: true), .receipt(1)], true),
            // Three sources.
            ([.token(1, revoked: true), .token(2), .token(3, revoked: true)], true),
            ([.token(1), .token(2, revoked: true), .token(3)], false),
            ([.token(1, revoked: true), .token(2), .receipt(3)], false),
            ([.token(1, revoked: true), .token(2), .receipt(3, revoked: true)], true),
            ([.token(1, revoked: true), .receipt(2), .token(3)], false),
            ([.token(1, revoked: true), .receipt(2, revoked: true), .receipt(3)], true),
            ([.token(1, revoked: true), .receipt(2, revoked: true), .token(3)], false),
            ([.token(1), .receipt(2, revoked: true), .receipt(3)], false),
            ([.receipt(1, revoked: true), .token(2), .receipt(3)], false),
            ([.receipt(1, revoked: true), .token(2, revoked: true), .receipt(3)], true),
            ([.receipt(1, revoked: true), .token(2, revoked: true), .token(3)], false),
            ([.receipt(1, revoked: true), .receipt(2), .token(2, revoked: true)], true),
        ] as [([Statement], Bool)])
    func revocations(_ statements: [Statement], _ isRevoked: Bool) throws {
        let types: [(SignedProductType, Entitlement.State)] = [
            (.nonConsumable, .owned), (.consumable, .owned), (.nonRenewingSubscription, .owned),
            (.autoRenewableSubscription, .active),
        ]
        for (type, state) in types {
            let entitlement = try entitlement(statements, type, at: "2024-08-01")
            #expect(entitlement.state == (isRevoked ? .refunded : state), "\(type.rawValue)")
            if isRevoked {
                #expect(entitlement.until == moment("2024-06-15"))
                #expect(!entitlement.isActive)
            }
        }
    }

    @Test(
        "A token of an upgraded transaction clears a token's revocation but not a receipt's",
        arguments: [
            ([.receipt(1, revoked: true), .token(2, upgraded: true)], .upgraded, "2024-06-15"),
            ([.receipt(1, revoked: true), .token(1, upgraded: true)], .upgraded, "2024-06-15"),
            ([.token(1, upgraded: true), .receipt(2, revoked: true)], .upgraded, "2024-06-15"),
            ([.token(1, revoked: true), .token(2, upgraded: true)], .upgraded, nil),
            (
                [.receipt(1, revoked: true), .token(2, revoked: true), .token(3, upgraded: true)], .upgraded,
                "2024-06-15"
            ),
            ([.token(1, upgraded: true), .token(2, revoked: true)], .refunded, "2024-06-15"),
            // Only the newest token counts, because a history keeps only that one.
            ([.receipt(1, revoked: true), .token(2), .token(3, upgraded: true)], .upgraded, "2024-06-15"),
            ([.receipt(1, revoked: true), .token(2, upgraded: true), .token(3)], .active, "2024-09-01"),
        ] as [([Statement], Entitlement.State, String?)])
    func upgrades(_ statements: [Statement], _ state: Entitlement.State, _ until: String?) throws {
        let entitlement = try entitlement(statements, .autoRenewableSubscription, at: "2024-08-01")
        #expect(entitlement.state == state)
        #expect(entitlement.until == until.map(moment))
    }

    @Test(
        "The newest token determines whether the transaction was upgraded, and receipts have no effect",
        arguments: [
            ([.token(1, upgraded: true)], true), ([.token(1, upgraded: true), .token(2)], false),
            ([.token(1), .token(2, upgraded: true)], true), ([.token(1), .token(1, upgraded: true)], true),
            ([.token(1, upgraded: true), .receipt(2)], true), ([.receipt(1), .token(2, upgraded: true)], true),
        ] as [([Statement], Bool)])
    func upgradedFlag(_ statements: [Statement], _ isUpgraded: Bool) throws {
        let entitlement = try entitlement(statements, .autoRenewableSubscription, at: "2024-08-01")
        #expect(entitlement.state == (isUpgraded ? .upgraded : .active))
    }

    @Test(
        "A receipt may extend the expiration date of a token but never shorten it",
        arguments: [
            ([.token(1, end: "2024-09-01"), .receipt(2, end: "2024-10-01")], "2024-10-01"),
            ([.token(1, end: "2024-10-01"), .receipt(2, end: "2024-09-01")], "2024-10-01"),
            ([.token(1, end: "2024-09-01"), .receipt(1, end: "2024-10-01")], "2024-10-01"),
            ([.token(1, end: "2024-10-01"), .receipt(1, end: "2024-09-01")], "2024-10-01"),
            ([.receipt(1, end: "2024-10-01"), .token(2, end: "2024-09-01")], "2024-09-01"),
            ([.receipt(1, end: "2024-09-01"), .token(2, end: "2024-10-01")], "2024-10-01"),
            ([.token(1, end: "2024-10-01"), .token(2, end: "2024-09-01")], "2024-09-01"),
            ([.token(1, end: "2024-09-01"), .token(2, end: "2024-10-01")], "2024-10-01"),
            ([.receipt(1, end: "2024-10-01"), .receipt(2, end: "2024-09-01")], "2024-09-01"),
            ([.receipt(1, end: "2024-09-01"), .receipt(2, end: "2024-10-01")], "2024-10-01"),
            (
                [.receipt(1, end: "2024-10-01"), .token(2, end: "2024-09-01"), .receipt(3, end: "2024-10-01")],
                "2024-10-01"
            ),
            (
                [.token(1, end: "2024-10-01"), .token(2, end: "2024-09-01"), .receipt(3, end: "2024-09-01")],
                "2024-09-01"
            ),
            (
                [.token(1, end: "2024-09-01"), .receipt(2, end: "2024-10-01"), .token(3, end: "2024-09-01")],
                "2024-09-01"
            ),
        ] as [([Statement], String)])
    func expirations(_ statements: [Statement], _ end: String) throws {
        let entitlement = try entitlement(statements, .autoRenewableSubscription, at: "2024-08-01")
        #expect(entitlement.state == .active)
        #expect(entitlement.until == moment(end))
    }

    @Test("A later token of another transaction doesn't clear a revocation, even with the same original transaction")
    func otherTransactions() throws {
        let refunded = try Evidence.period("plus", "1", "2024-06-01", "2024-07-01", signed: "2024-06-15") {
            $0.revocationDate = moment("2024-06-15")
        }
        let evidence =
            refunded + (try .period("plus", "2", "2024-07-01", "2024-08-01"))
            + (try .period("plus", "3", "2024-06-01", "2024-07-01", signed: "2024-07-20"))
        #expect(evidence.state("plus", at: "2024-06-20") == .refunded, "transaction 3 is a copy")
        #expect(evidence.state("plus", at: "2024-07-15") == .active)
    }

    @Test("The value of the newest source that contains a property is used")
    func fieldByField() throws {
        let token = UUID()
        let old = try Evidence.period("plus", "1", "2024-06-01", "2024-07-01", signed: "2024-06-02") {
            $0.overrides = ["appAccountToken": .string(token.uuidString), "offerType": 3, "offerIdentifier": "code"]
            $0.ownership = .familyShared
            $0.quantity = 2
        }
        let newer = try Evidence.period("plus", "1", "2024-06-01", "2024-07-01", signed: "2024-06-03") {
            $0.ownership = .purchased
            $0.quantity = 4
        }
        let receipt = try Evidence.receipt(
            created: "2024-06-04",
            .period("plus", "1", "2024-06-01", "2024-07-01").with {
                $0.quantity = 3
                $0.webOrderLineItemIdentifier = 77
            })
        for evidence in [old + newer + receipt, receipt + newer + old] {
            let purchases = evidence.entitlements(at: "2024-06-15").transactions
            let purchase = try #require(purchases.first)
            #expect(purchases.count == 1)
            #expect(purchase.quantity == 3)
            #expect(purchase.webOrderLineItemIdentifier == 77)
            #expect(purchase.ownership == .purchased)
            #expect(purchase.appAccountToken == token)
            #expect(purchase.subscriptionGroupIdentifier == "21000001")
            #expect(purchase.isUpgraded == false)
            #expect(purchase.offerCodeReferenceName == "code")
        }
    }
}
