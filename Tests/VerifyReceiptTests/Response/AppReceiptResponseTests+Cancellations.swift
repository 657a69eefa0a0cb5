import AppReceiptKit
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing
import VerifyReceipt

/// Refunds and revocations in responses. A known one appears wherever the transaction is listed, for every product
/// type.
extension AppReceiptResponseTests {
    private static let refund = "2024-06-15T00:00:00Z"
    private static let refundText = "2024-06-15 00:00:00 Etc/GMT"

    private static func response(
        _ receipt: TestReceipt, _ history: CustomerEvidence, excludesOld: Bool = false
    ) async throws -> VerifyReceiptResponse {
        try await VerifyReceiptResponder.standard().response(
            to: receipt, history, ["exclude-old-transactions": .boolean(excludesOld)])
    }

    // MARK: Every product type, every source

    /// A purchase in a receipt and the same purchase as a signed transaction.
    struct Product: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let purchase: TestPurchase
        let transaction: TestTransaction

        init(_ name: String, _ type: InAppPurchase.ProductType, _ signedType: SignedProductType, isShared: Bool = false)
        {
            testDescription = name
            let isSubscription = type == .autoRenewableSubscription
            purchase =
                isSubscription
                ? ReceiptFixtures.period(1)
                : TestPurchase("com.example.pro", transaction: "1", at: VerifiedFixtures.start, type: type)
            transaction = TestTransaction(
                isSubscription ? "com.example.plus" : "com.example.pro", transaction: "1", at: VerifiedFixtures.start,
                until: isSubscription ? ReceiptFixtures.start(2) : nil
            ).with {
                $0.productType = signedType
                $0.ownership = isShared ? .familyShared : .purchased
                $0.signedDate = instant("2024-08-02T00:00:00Z")
            }
        }
    }

    static let products = [
        Product("a non-consumable", .nonConsumable, .nonConsumable),
        Product("a consumable", .consumable, .consumable),
        Product("a non-renewing subscription", .nonRenewingSubscription, .nonRenewingSubscription),
        Product("a subscription", .autoRenewableSubscription, .autoRenewableSubscription),
        Product("a shared subscription", .autoRenewableSubscription, .autoRenewableSubscription, isShared: true),
        Product("a shared non-consumable", .nonConsumable, .nonConsumable, isShared: true),
    ]

    /// The source of a refund.
    enum Source: String, Sendable, CaseIterable, CustomTestStringConvertible {
        case token = "a signed transaction"
        case notification = "a notification"
        case receipt = "a newer receipt"

        var testDescription: String { rawValue }
    }

    @Test(
        "A refund appears in in_app and latest_receipt_info, for every product type and source",
        arguments: products, Source.allCases)
    func refundAppears(_ product: Product, _ source: Source) async throws {
        let isShared = product.transaction.ownership == .familyShared
        let revoked = product.transaction.with {
            $0.revocationDate = instant("2024-08-01T00:00:00Z")
            $0.overrides = isShared ? ["revocationType": "FAMILY_REVOKE"] : ["revocationReason": 1]
        }
        let history = InMemoryTransactionHistory()
        switch source {
        case .token: history.add(try VerifiedFixtures.transaction(revoked))
        case .notification: history.add(try VerifiedFixtures.notification(isShared ? .revoke : .refund, revoked))
        case .receipt:
            let canceled = product.purchase.with { $0.cancellationDate = instant("2024-08-01T00:00:00Z") }
            history.add(try VerifiedFixtures.receipt([canceled], created: "2024-08-02T00:00:00Z"))
        }
        // The submitted receipt may be older or newer than the refund's evidence.
        for created in ["2024-07-02T15:04:05Z"] + (source == .receipt ? [] : ["2024-11-01T00:00:00Z"]) {
            let receipt = ReceiptFixtures.receipt([product.purchase], created: created)
            for excludesOld in [false, true] {
                let body = request(try receipt.signed(), ["exclude-old-transactions": .boolean(excludesOld)])
                let response = await (try VerifyReceiptResponder.standard()).response(
                    to: body, evidence: history, now: .later)
                #expect(response.status == .valid)
                #expect(response.latest.count == 1)
                #expect(response.inApp.count == 1)
                for element in response.latest + response.inApp {
                    #expect(element["transaction_id"] == "1")
                    #expect(element["cancellation_date"] == "2024-08-01 00:00:00 Etc/GMT")
                    #expect(element["cancellation_date_ms"] == "1722470400000")
                    #expect(element["cancellation_date_pst"] == "2024-07-31 17:00:00 America/Los_Angeles")
                    // Receipts don't contain a reason, and the end of Family Sharing doesn't have one.
                    #expect(element["cancellation_reason"] == (source == .receipt || isShared ? nil : "1"))
                }
                let latest = try #require(response.json["latest_receipt"]?.string)
                #expect((latest == Data(try receipt.signed()).base64EncodedString()) == (source != .receipt))
            }
        }
    }

    @Test("A purchase that wasn't refunded appears in both lists without a cancellation", arguments: products)
    func noRefund(_ product: Product) async throws {
        let history = CustomerEvidence(transactions: [try VerifiedFixtures.transaction(product.transaction)])
        let response = try await Self.response(ReceiptFixtures.receipt([product.purchase]), history)
        #expect(response.latest.count == 1)
        #expect(response.inApp.count == 1)
        #expect(response.json["latest_receipt"] != nil)
        #expect((response.latest + response.inApp).cancellations.allSatisfy { $0 == nil })
    }

    @Test("A refund in the submitted receipt itself appears in both lists", arguments: products)
    func ownRefund(_ product: Product) async throws {
        let receipt = ReceiptFixtures.receipt([product.purchase.with { $0.cancellationDate = instant(Self.refund) }])
        let response = try VerifyReceiptResponder.standard().response(to: receipt)
        #expect(response.latest.cancellations == [Self.refundText])
        #expect(response.inApp.cancellations == [Self.refundText])
        #expect(response.json["latest_receipt"] != nil)
    }

    // MARK: Copies

    /// Transaction 2002 of the receipt, a copy of 2000.
    private static func copy(_ change: (inout TestPurchase) -> Void = { _ in }) -> TestPurchase {
        TestPurchase(
            subscription: "com.example.plus", transaction: "2002", original: "2000", from: ReceiptFixtures.start(1),
            to: ReceiptFixtures.start(2)
        ).with(change)
    }

    private static func refunded(
        _ identifier: String, _ change: (inout TestTransaction) -> Void = { _ in }
    ) throws -> VerifiedTransaction {
        try VerifiedFixtures.transaction(
            TestTransaction(
                "com.example.plus", transaction: identifier, original: "2000", at: ReceiptFixtures.start(1),
                until: ReceiptFixtures.start(2)
            ).with {
                $0.signedDate = instant("2024-08-02T00:00:00Z")
                $0.revocationDate = instant("2024-08-01T00:00:00Z")
                $0.overrides = ["revocationReason": 1]
                change(&$0)
            })
    }

    @Test("A refund of the original transaction appears on its copies", arguments: [false, true])
    func refundOfCopy(_ excludesOld: Bool) async throws {
        // Dates in tokens have milliseconds, those in receipts whole seconds.
        let refunds = try [
            Self.refunded("2000"),
            Self.refunded("2000") {
                $0.purchaseDate += 0.25
                $0.expirationDate? += 0.75
            },
        ]
        for refund in refunds {
            let response = try await Self.response(
                ReceiptFixtures.receipt([Self.copy()]), CustomerEvidence(transactions: [refund]),
                excludesOld: excludesOld)
            #expect(response.inApp.transactions == ["2002"])
            #expect(response.inApp[0]["cancellation_date_ms"] == "1722470400000")
            #expect(response.inApp[0]["cancellation_reason"] == "1")
            #expect(response.latest.count == (excludesOld ? 1 : 2))
            #expect(response.latest.allSatisfy { $0["cancellation_date_ms"] == "1722470400000" })
            #expect(response.latest.allSatisfy { $0["cancellation_reason"] == "1" })
        }
    }

    @Test("A refund of a restored non-consumable appears on its copies")
    func refundOfRestored() async throws {
        let receipt = ReceiptFixtures.receipt([
            TestPurchase("com.example.pro", transaction: "2002", at: ReceiptFixtures.start(3)).with {
                $0.originalTransactionIdentifier = "2000"
                $0.originalPurchaseDate = ReceiptFixtures.start(1)
            }
        ])
        let refund = try Self.refunded("2000") {
            $0.productIdentifier = "com.example.pro"
            $0.productType = .nonConsumable
            $0.expirationDate = nil
        }
        let response = try await Self.response(receipt, CustomerEvidence(transactions: [refund]))
        #expect(response.inApp.cancellations == ["2024-08-01 00:00:00 Etc/GMT"])
        #expect(response.latest.transactions == ["2002", "2000"])
        #expect(response.latest.cancellations.allSatisfy { $0 == "2024-08-01 00:00:00 Etc/GMT" })
        // A refund of another product of the same original transaction isn't.
        let other = try Self.refunded("2000") {
            $0.productIdentifier = "com.example.other"
            $0.productType = .nonConsumable
            $0.expirationDate = nil
        }
        let untouched = try await Self.response(receipt, CustomerEvidence(transactions: [other]))
        #expect(untouched.inApp.cancellations == [nil])
        #expect(untouched.latest.transactions == ["2002", "2000"])
        #expect(untouched.latest[transaction: "2002"]?["cancellation_date"] == nil)
    }

    @Test("A copy stays refunded while any sibling is refunded, whatever its own tokens contain")
    func copyOfRefunded() async throws {
        let later = try Self.refunded("2002") {
            $0.signedDate = instant("2024-09-01T00:00:00Z")
            $0.revocationDate = nil
            $0.overrides = [:]
        }
        let refund = try Self.refunded("2000")
        let response = try await Self.response(
            ReceiptFixtures.receipt([Self.copy()], created: "2024-10-01T00:00:00Z"),
            CustomerEvidence(transactions: [later, refund]))
        #expect(response.inApp.cancellations == ["2024-08-01 00:00:00 Etc/GMT"])
        // A later token of the refunded transaction itself clears the refund of both.
        let reversed = try Self.refunded("2000") {
            $0.signedDate = instant("2024-09-01T00:00:00Z")
            $0.revocationDate = nil
            $0.overrides = [:]
        }
        let cleared = try await Self.response(
            ReceiptFixtures.receipt([Self.copy()]), CustomerEvidence(transactions: [reversed, later]))
        #expect((cleared.inApp + cleared.latest).cancellations.allSatisfy { $0 == nil })
    }

    @Test("A refund of another period, product or seat of the same original transaction doesn't apply to a copy")
    func notCopies() async throws {
        let others = try [
            Self.refunded("2000") { $0.purchaseDate -= 1 },
            Self.refunded("2000") { $0.productIdentifier = "com.example.other" },
            Self.refunded("2000") { $0.overrides["additionalTransactionReason"] = "SEAT_ADDITION" },
            Self.refunded("2000") { $0.overrides["multiSeatInfo"] = ["revokedSeatQuantity": 1] },
        ]
        for other in others {
            let response = try await Self.response(
                ReceiptFixtures.receipt([Self.copy()]), CustomerEvidence(transactions: [other]))
            #expect(response.inApp.cancellations == [nil])
            #expect(response.latest[transaction: "2002"]?["cancellation_date"] == nil)
            #expect(response.latest[transaction: "2000"]?["cancellation_date"] != nil)
        }
    }

    // MARK: Order of evidence

    /// The refund of one transaction in several sources, and the expected refund in the response.
    struct Refund: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The cancellation date in the submitted receipt, which was created on July 2nd.
        var own: String?
        var other: (created: String, refund: String?)?
        var token: (signed: String, refund: String?)?
        let expected: String?
    }

    static let refunds = [
        Refund(
            testDescription: "a newer receipt contains a refund", other: ("2024-09-01", refund), expected: refundText),
        Refund(
            testDescription: "a newer receipt that lists the transaction clears a receipt's refund", own: refund,
            other: ("2024-09-01", nil), expected: nil),
        Refund(
            testDescription: "an older receipt doesn't clear a receipt's refund", own: refund,
            other: ("2024-06-20", nil),
            expected: refundText),
        Refund(
            testDescription: "the submitted receipt clears an older receipt's refund", other: ("2024-06-20", refund),
            expected: nil),
        Refund(
            testDescription: "a token signed after both receipts contains a refund", other: ("2024-09-01", nil),
            token: ("2024-10-01", refund), expected: refundText),
        Refund(
            testDescription: "a token signed between the receipts contains a refund, because receipts lag",
            other: ("2024-09-01", nil),
            token: ("2024-08-01", refund), expected: refundText),
        Refund(
            testDescription: "a token signed before both receipts contains a refund", other: ("2024-09-01", nil),
            token: ("2024-06-16", refund), expected: refundText),
        Refund(
            testDescription: "a later token clears the refund of receipts", own: refund, other: ("2024-09-01", refund),
            token: ("2024-10-01", nil), expected: nil),
        Refund(
            testDescription: "an earlier token doesn't clear a receipt's refund", other: ("2024-09-01", refund),
            token: ("2024-08-01", nil), expected: refundText),
        Refund(
            testDescription: "a token of the same date doesn't clear a receipt's refund",
            other: ("2024-09-01", refund), token: ("2024-09-01", nil), expected: refundText),
    ]

    @Test(
        "Newer evidence determines whether a transaction is refunded, but no receipt clears a token's refund",
        arguments: refunds)
    func orderOfEvidence(_ refund: Refund) async throws {
        var history = CustomerEvidence()
        if let other = refund.other {
            history.receipts = [
                try VerifiedFixtures.receipt(
                    [ReceiptFixtures.period(1, canceled: other.refund)], created: other.created + "T00:00:00Z")
            ]
        }
        if let token = refund.token {
            history.transactions = [
                try VerifiedFixtures.transaction(
                    ReceiptFixtures.transaction(1, signed: token.signed + "T00:00:00Z", revoked: token.refund))
            ]
        }
        let response = try await Self.response(
            ReceiptFixtures.receipt([ReceiptFixtures.period(1, canceled: refund.own)]), history)
        #expect(response.latest.cancellations == [refund.expected])
        #expect(response.inApp.cancellations == [refund.expected])
        #expect((response.latest.first?["in_app_ownership_type"] != nil) == (refund.token != nil))
    }

    @Test("A newer receipt with another date doesn't clear a refund")
    func otherDate() async throws {
        let history = CustomerEvidence(
            receipts: [
                try VerifiedFixtures.receipt(
                    [ReceiptFixtures.period(1, canceled: Self.refund)], created: "2024-09-01T00:00:00Z")
            ],
            transactions: [
                try VerifiedFixtures.transaction(
                    ReceiptFixtures.transaction(1, signed: "2024-08-01T00:00:00Z", revoked: "2024-07-09T00:00:00Z"))
            ])
        let response = try await Self.response(ReceiptFixtures.receipt([ReceiptFixtures.period(1)]), history)
        #expect((response.latest + response.inApp).cancellations.allSatisfy { $0 != nil })
    }

    @Test("A newer receipt that doesn't list a canceled transaction doesn't clear it")
    func notListed() async throws {
        let history = InMemoryTransactionHistory()
        history.add(try VerifiedFixtures.receipt([ReceiptFixtures.period(2)], created: "2024-09-01T00:00:00Z"))
        history.add(
            try VerifiedFixtures.receipt(
                [ReceiptFixtures.period(1, canceled: Self.refund), ReceiptFixtures.period(2)],
                created: "2024-08-01T00:00:00Z"))
        for (purchases, listed) in [([ReceiptFixtures.period(1)], ["1"]), ([ReceiptFixtures.period(2)], ["2"])] {
            let response = await (try VerifyReceiptResponder.standard()).response(
                to: request(try ReceiptFixtures.receipt(purchases).signed()), evidence: history, now: .later)
            #expect(response.inApp.transactions == listed)
            #expect(response.latest[transaction: "1"]?["cancellation_date"]?.string == Self.refundText)
            #expect(response.latest[transaction: "2"]?["cancellation_date"] == nil)
        }
    }

    @Test("A refund in an old receipt isn't cleared by newer tokens of other transactions")
    func otherTransactions() async throws {
        let history = CustomerEvidence(
            transactions: try (2...4).map {
                try VerifiedFixtures.transaction(ReceiptFixtures.transaction($0, signed: "2024-12-01T00:00:00Z"))
            })
        let response = try await Self.response(
            ReceiptFixtures.receipt([ReceiptFixtures.period(1, canceled: Self.refund)]), history)
        #expect(response.latest.transactions == ["4", "3", "2", "1"])
        #expect(response.latest.cancellations == [nil, nil, nil, Self.refundText])
    }

    @Test("An upgrade in a token isn't a cancellation, and doesn't clear a receipt's cancellation")
    func upgrade() async throws {
        let token = try VerifiedFixtures.transaction(
            ReceiptFixtures.transaction(1).with { $0.overrides = ["isUpgraded": true] })
        let history = CustomerEvidence(transactions: [token])
        let plain = try await Self.response(ReceiptFixtures.receipt([ReceiptFixtures.period(1)]), history)
        #expect(plain.latest[0]["is_upgraded"] == "true")
        #expect(plain.latest.cancellations == [nil])
        let canceled = try await Self.response(
            ReceiptFixtures.receipt([ReceiptFixtures.period(1, canceled: Self.refund)]), history)
        #expect(canceled.latest.cancellations == [Self.refundText])
        #expect(canceled.inApp.cancellations == [Self.refundText])
    }

    @Test("A change of product alone isn't a cancellation, because fields are never inferred")
    func succession() async throws {
        let token = try VerifiedFixtures.transaction(
            ReceiptFixtures.transaction(2).with {
                $0.productIdentifier = "com.example.premium"
                $0.purchaseDate = ReceiptFixtures.start(1) + 86_400
            })
        let response = try await Self.response(
            ReceiptFixtures.receipt([ReceiptFixtures.period(1)]), CustomerEvidence(transactions: [token]))
        #expect(response.latest.transactions == ["2", "1"])
        #expect((response.latest + response.inApp).cancellations.allSatisfy { $0 == nil })
        #expect(response.latest.allSatisfy { $0["is_upgraded"] == nil })
    }

    @Test(
        "Newer transactions of the same and other original transactions don't hide a refund",
        arguments: [false, true])
    func manyTransactions(_ excludesOld: Bool) async throws {
        let refund = try VerifiedFixtures.transaction(
            ReceiptFixtures.transaction(1, signed: "2024-07-10T00:00:00Z", revoked: "2024-07-09T00:00:00Z"))
        let history = InMemoryTransactionHistory()
        history.add(refund)
        for number in 1...60 {
            history.add(
                try VerifiedFixtures.transaction(
                    ReceiptFixtures.transaction(1_000 + number, of: number % 2 == 0 ? 1 : number + 1)))
        }
        let response = await (try VerifyReceiptResponder.standard()).response(
            to: request(
                try ReceiptFixtures.receipt([ReceiptFixtures.period(1)]).signed(),
                ["exclude-old-transactions": .boolean(excludesOld)]),
            evidence: history, now: .later)
        #expect(response.inApp.cancellations == ["2024-07-09 00:00:00 Etc/GMT"])
        #expect(response.latest.count == (excludesOld ? 1 : 31))
        #expect(
            response.latest[transaction: "1"]?["cancellation_date"]
                == (excludesOld ? nil : "2024-07-09 00:00:00 Etc/GMT"))
    }
}
