import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing

@Suite("Entitlements from signed data")
struct EntitlementsSignedDataTests {
    @Test("Receipts, transactions and renewal information count together")
    func together() throws {
        let evidence = try Evidence.all(
            .receipt(
                created: "2024-07-02", .kept("pro", "1", "2024-06-01"),
                .period("plus", "2", "2024-06-01", "2024-07-01", original: "2")),
            .period("plus", "3", "2024-07-01", "2024-08-01", original: "2"),
            .renewal("plus", original: "2", signed: "2024-07-03"))
        let entitlements = evidence.entitlements(at: "2024-07-15")
        #expect(entitlements.environment == .sandbox)
        #expect(entitlements.date == moment("2024-07-15"))
        #expect(entitlements.transactions.map(\.transactionIdentifier) == ["1", "2", "3"])
        #expect(entitlements.active.map(\.productIdentifier) == ["plus", "pro"])
        let plus = try #require(entitlements["plus"])
        #expect(plus.since == moment("2024-06-01"))
        #expect(plus.until == moment("2024-08-01"))
        #expect(plus.willRenew == true)
        #expect(plus.asOf == moment("2024-07-03"))
        #expect(plus.originalTransactionIdentifier == "2")
        #expect(entitlements["pro"]?.asOf == moment("2024-07-02"))
        #expect(entitlements.current(ofAny: ["plus", "max"])?.productIdentifier == "plus")
    }

    @Test(
        "A transaction that several sources contain counts once, and its newest token determines whether it was refunded"
    )
    func once() throws {
        // Tokens clear older tokens and receipts clear older receipts, but receipts never clear tokens.
        let receipt = try Evidence.receipt(created: "2024-07-02", .kept("pro", "1", "2024-06-01"))
        func copy(_ signed: String, refunded: String?) throws -> Evidence {
            try .kept("pro", "1", "2024-06-01", signed: signed) { $0.revocationDate = refunded.map(moment) }
        }
        let refunded = try copy("2024-07-20", refunded: "2024-07-01")
        let reversed = try copy("2024-07-25", refunded: nil)
        let old = try copy("2024-06-20", refunded: "2024-06-10")
        #expect((receipt + refunded).state("pro", at: "2024-08-01") == .refunded)
        #expect((receipt + old).state("pro", at: "2024-08-01") == .refunded)
        for evidence in [receipt + refunded + reversed + old, old + reversed + refunded + receipt, reversed + refunded]
        {
            let entitlements = evidence.entitlements(at: "2024-08-01")
            #expect(entitlements.transactions.count == 1)
            #expect(entitlements["pro"]?.state == .owned)
            #expect(entitlements["pro"]?.ownership == .purchased)
        }
    }

    @Test("Without evidence, or with renewal information alone, there are no entitlements")
    func renewalAlone() throws {
        let renewal = try Evidence.renewal("plus", signed: "2024-07-02") {
            $0.gracePeriodExpirationDate = moment("2024-08-01")
        }
        for evidence in [Evidence(), renewal] {
            let entitlements = evidence.entitlements(at: "2024-07-10")
            #expect(entitlements.all.isEmpty)
            #expect(entitlements.transactions.isEmpty)
        }
        let pro = try Evidence.kept("pro", "9", "2024-06-01")
        #expect((pro + renewal).entitlements(at: "2024-07-10") == pro.entitlements(at: "2024-07-10"))
    }

    @Test("Renewal information without an original transaction has no effect")
    func renewalWithoutOriginal() throws {
        let plus = try Evidence.period("plus", "1", "2024-06-01", "2024-07-01")
        let renewal = try Evidence.renewal("plus", signed: "2024-07-02") { renewal in
            renewal.gracePeriodExpirationDate = moment("2024-08-01")
            renewal.overrides = ["originalTransactionId": .null]
        }
        #expect((plus + renewal).entitlements(at: "2024-07-10") == plus.entitlements(at: "2024-07-10"))
    }

    @Test("Transactions and receipts of other apps have no effect")
    func otherApps() throws {
        let own = try Evidence.kept("pro", "1", "2024-06-01")
        let alone = own.entitlements(at: "2024-08-01")
        for app in ["com.example.other", "com.example.App", "com.example.app2"] {
            let other =
                try Evidence.kept("pro", "1", "2024-06-01", signed: "2024-07-20") { made in
                    made.bundleIdentifier = app
                    made.revocationDate = moment("2024-07-01")
                }
                + Evidence(receipts: [
                    Evidence.verified(
                        TestReceipt(bundleIdentifier: app).with { $0.purchases = [.kept("maps", "2", "2024-06-01")] })
                ])
            #expect((own + other).entitlements(at: "2024-08-01") == alone)
            #expect(
                (other + own).entitlements(at: "2024-08-01", of: app).all.map(\.productIdentifier) == ["maps", "pro"])
            #expect((other + own).entitlements(at: "2024-08-01", of: app).state("pro") == .refunded)
        }
        let unnamed = try Evidence.kept("pro", "1", "2024-06-01", signed: "2024-07-20") {
            $0.overrides = ["bundleId": .null]
        }
        #expect(unnamed.entitlements(at: "2024-08-01").all.isEmpty)
    }

    @Test("Evidence of another environment has no effect, even with equal identifiers")
    func environments() throws {
        func evidence(_ environment: SignedDataEnvironment) throws -> Evidence {
            try Evidence.kept("pro", "1", "2024-06-01", signed: "2024-07-20") { made in
                made.environment = environment
                made.revocationDate = moment("2024-07-01")
            } + .period("plus", "3", "2024-07-01", "2024-08-01", original: "2") { $0.environment = environment }
                + .renewal("plus", original: "2", signed: "2024-07-03") { renewal in
                    renewal.environment = environment
                    renewal.gracePeriodExpirationDate = moment("2024-07-31")
                }
        }
        let sandbox =
            try Evidence.kept("pro", "1", "2024-06-01")
            + .period("plus", "2", "2024-06-01", "2024-07-01", original: "2")
        let alone = sandbox.entitlements(at: "2024-07-10")
        #expect(alone.state("pro") == .owned)
        #expect(alone.state("plus") == .renewalUnknown)
        for environment in [SignedDataEnvironment.production, SignedDataEnvironment(rawValue: "Staging")] {
            #expect(try (sandbox + evidence(environment)).entitlements(at: "2024-07-10") == alone)
            #expect(try (evidence(environment) + sandbox).entitlements(at: "2024-07-10") == alone)
        }
        #expect(try (sandbox + evidence(.sandbox)).entitlements(at: "2024-07-10") != alone)
        let production = try (sandbox + evidence(.production)).entitlements(at: "2024-07-10", in: .production)
        #expect(production.environment == .production)
        #expect(production.all.allSatisfy { $0.environment == .production })
        #expect(production.state("pro") == .refunded)
        #expect(production.state("plus") == .active)
        #expect(production.transactions.map(\.transactionIdentifier) == ["1", "3"])
        #expect(try (sandbox + evidence(.production)).entitlements(at: "2024-07-10", in: .xcode).all.isEmpty)
    }

    @Test("The newest renewal information counts, and the order of copies with the same date has no effect")
    func renewalOrder() throws {
        let plus = try Evidence.period("plus", "1", "2024-06-01", "2024-07-01")
        let on = try Evidence.renewal("plus", signed: "2024-07-02") {
            $0.gracePeriodExpirationDate = moment("2024-07-17")
        }
        let off = try Evidence.renewal("plus", signed: "2024-07-02") { $0.expirationIntent = .canceled }
        #expect((plus + on + off).entitlements(at: "2024-07-10") == (off + on + plus).entitlements(at: "2024-07-10"))
    }

    @Test("The JSON of an entitlement contains ownership and renewal")
    func json() throws {
        let evidence =
            try Evidence.period("plus", "2", "2024-06-01", "2024-07-01T00:00:00.007Z", original: "1") {
                $0.ownership = PurchaseOwnership(rawValue: "ASSIGNED")
            }
            + .renewal("plus", signed: "2024-07-02") { renewal in
                renewal.autoRenewStatus = .off
                renewal.gracePeriodExpirationDate = moment("2024-07-17")
            }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let plus = try #require(evidence.entitlements(at: "2024-07-10")["plus"])
        #expect(
            String(decoding: try encoder.encode(plus), as: UTF8.self) == """
                {"asOf":"2024-07-02T00:00:00Z","commitment":null,"environment":"sandbox","isActive":true,"items":null,"kind":"subscription",\
                "nextStep":"Keep access, and ask the customer to update the payment method in the App Store.",\
                "originalTransactionIdentifier":"1","ownership":"ASSIGNED","productIdentifier":"plus","quantity":1,\
                "reason":"The renewal couldn't be billed; the billing grace period runs until 2024-07-17T00:00:00Z.",\
                "refundedPercentage":null,"renewsAs":null,\
                "since":"2024-06-01T00:00:00Z","state":"gracePeriod","transactionIdentifier":"2",\
                "until":"2024-07-17T00:00:00Z","willRenew":false}
                """)
    }
}

extension Entitlements {
    /// The state of a product.
    func state(_ product: String) -> Entitlement.State? { self[product]?.state }
}
