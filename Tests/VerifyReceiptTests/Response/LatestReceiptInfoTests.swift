import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import Foundation
import Testing

@testable import VerifyReceipt

@Suite("LatestReceiptInfo")
struct LatestReceiptInfoTests {
    private static let start = instant("2024-01-01T00:00:00Z")

    /// A transaction that begins this many days after the start.
    private static func transaction(
        _ identifier: String, of original: String?, day: Double?, days: Double = 30, product: String = "monthly",
        type: InAppPurchase.ProductType = .autoRenewableSubscription, isRevoked: Bool = false
    ) -> TransactionFields {
        TransactionFields(
            AppStoreTransaction {
                $0.productIdentifier = product
                $0.transactionIdentifier = identifier
                $0.originalTransactionIdentifier = original
                $0.purchaseDate = day.map { start + $0 * 86_400 }
                $0.expirationDate = day.map { start + ($0 + days) * 86_400 }
                $0.revocation = isRevoked ? AppStoreTransaction.Revocation(start) : nil
                $0.productType = type
                $0.quantity = 1
            })
    }

    private static func order(_ transactions: [TransactionFields], excludesOld: Bool) -> [String?] {
        let info = LatestReceiptInfo(
            transactions: transactions, latestReceipt: .binary([]), excludesOldTransactions: excludesOld)
        return (info.members.first?.value.array ?? []).transactions
    }

    @Test("Transactions are sorted by their beginning, newest first, and those with the same dates keep their order")
    func newestFirst() {
        let transactions = [
            Self.transaction("2", of: "1", day: 30), Self.transaction("x", of: "1", day: nil),
            Self.transaction("1", of: "1", day: 0), Self.transaction("b", of: "b", day: 30),
            Self.transaction("3", of: "1", day: 60),
        ]
        #expect(Self.order(transactions, excludesOld: false) == ["3", "2", "b", "1", "x"])
    }

    @Test("Without old transactions, the newest of each subscription remains")
    func newestOfEach() {
        let transactions = [
            Self.transaction("2", of: "1", day: 30), Self.transaction("1", of: "1", day: 0),
            Self.transaction("b", of: "b", day: 10), Self.transaction("3", of: "1", day: 60, product: "yearly"),
            Self.transaction("c", of: "b", day: 10, days: 60),
        ]
        #expect(Self.order(transactions, excludesOld: true) == ["3", "c"])
    }

    @Test("Of transactions with the same dates the revoked one remains, in any order")
    func revokedOfEqual() {
        let transactions = [
            Self.transaction("1", of: "1", day: 0), Self.transaction("2", of: "1", day: 0, isRevoked: true),
            Self.transaction("3", of: "1", day: 0),
        ]
        #expect(Self.order(transactions, excludesOld: true) == ["2"])
        #expect(Self.order(transactions.reversed(), excludesOld: true) == ["2"])
    }

    @Test("A period that was restored after its end isn't the newest, in any order")
    func restoredAfterItsEnd() {
        let restored = TransactionFields(
            AppStoreTransaction {
                $0.productIdentifier = "monthly"
                $0.transactionIdentifier = "9"
                $0.originalTransactionIdentifier = "1"
                $0.purchaseDate = Self.start + 45 * 86_400
                $0.originalPurchaseDate = Self.start
                $0.expirationDate = Self.start + 30 * 86_400
                $0.productType = .autoRenewableSubscription
                $0.quantity = 1
            })
        let transactions = [Self.transaction("1", of: "1", day: 0), restored, Self.transaction("2", of: "1", day: 30)]
        for transactions in [transactions, transactions.reversed()] {
            #expect(Self.order(transactions, excludesOld: false) == ["2", "9", "1"])
            #expect(Self.order(transactions, excludesOld: true) == ["2"])
        }
    }

    @Test("Beside a subscription only revoked one-time purchases remain without old transactions, without one all")
    func oneTimePurchasesOnly() {
        let once = [
            Self.transaction("5", of: "5", day: 1, product: "pro", type: .nonConsumable),
            Self.transaction("7", of: "7", day: 3, product: "seeds", type: .consumable),
        ]
        #expect(Self.order(once, excludesOld: true) == ["7", "5"])
        let all = once + [Self.transaction("1", of: "1", day: 0)]
        #expect(Self.order(all, excludesOld: true) == ["1"])
        #expect(Self.order(all, excludesOld: false) == ["7", "5", "1"])
    }

    @Test("Revoked one-time purchases remain without old transactions, even several of the same original transaction")
    func oneTimePurchases() {
        let transactions = [
            Self.transaction("1", of: "1", day: 0),
            Self.transaction("5", of: "5", day: 1, product: "pro", type: .nonConsumable, isRevoked: true),
            Self.transaction("6", of: "5", day: 2, product: "pro", type: .nonConsumable, isRevoked: true),
            Self.transaction("7", of: "7", day: 3, product: "seeds", type: .consumable, isRevoked: true),
            Self.transaction("8", of: "8", day: -4, product: "pass", type: .nonRenewingSubscription, isRevoked: true),
        ]
        #expect(Self.order(transactions, excludesOld: true) == ["7", "6", "5", "1", "8"])
    }

    @Test("Without original transactions, the product identifies the subscription")
    func withoutOriginal() {
        let transactions = [
            Self.transaction("0", of: nil, day: 0, product: "a"), Self.transaction("0", of: nil, day: 1, product: "b"),
            Self.transaction("1", of: nil, day: 2, product: "a"),
        ]
        #expect(Self.order(transactions, excludesOld: true) == ["1", "0"])
    }

    @Test("Renewals follow the receipt if they are known, and are left out otherwise")
    func renewals() throws {
        let renewal = RenewalFields(try VerifiedFixtures.renewal(TestRenewalInfo("monthly", original: "1")))
        var info = LatestReceiptInfo(
            transactions: [], renewals: [renewal], latestReceipt: .binary([1, 2, 3]), excludesOldTransactions: false)
        #expect(info.members.map(\.name) == ["latest_receipt_info", "latest_receipt", "pending_renewal_info"])
        #expect(info.members.map(\.value)[1] == "AQID")
        #expect(info.members.map(\.value)[2].array?.first?["auto_renew_status"] == "1")
        info.renewals = []
        #expect(info.members.map(\.name) == ["latest_receipt_info", "latest_receipt"])
    }

    @Test("If renewal information is always requested, every subscription has an element with its newest product")
    func renewalsOfEverySubscription() throws {
        let renewal = RenewalFields(try VerifiedFixtures.renewal(TestRenewalInfo("monthly", original: "1")))
        let transactions = [
            Self.transaction("1", of: "1", day: 0), Self.transaction("2", of: "2", day: 0),
            Self.transaction("3", of: "2", day: 30, product: "yearly"), Self.transaction("4", of: nil, day: 0),
            Self.transaction("5", of: "5", day: 0, type: .nonConsumable, isRevoked: true),
        ]
        var info = LatestReceiptInfo(
            transactions: transactions, renewals: [renewal], latestReceipt: .binary([]), excludesOldTransactions: false,
            renewalInfo: .always)
        let elements = try #require(info.members.last?.value.array)
        #expect(elements[0]["auto_renew_status"] == "1")
        #expect(elements[1] == ["original_transaction_id": "2", "product_id": "yearly"])
        #expect(elements[2] == ["product_id": "monthly"])
        #expect(elements.count == 3)
        info.transactions = []
        info.renewals = []
        #expect(info.members.map(\.name) == ["latest_receipt_info", "latest_receipt"])
    }
}
