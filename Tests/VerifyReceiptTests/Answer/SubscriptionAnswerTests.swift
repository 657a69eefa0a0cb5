import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

@testable import VerifyReceipt

@Suite("SubscriptionAnswer")
struct SubscriptionAnswerTests {
    private static let start = instant("2024-01-01T00:00:00Z")

    /// A transaction that begins so many days after the start.
    private static func transaction(
        _ identifier: String, of original: String?, day: Double?, days: Double = 30, product: String = "monthly"
    ) -> TransactionFields {
        var fields = TransactionFields()
        fields.transactionIdentifier = identifier
        fields.originalTransactionIdentifier = original
        fields.productIdentifier = product
        fields.purchaseDate = day.map { start + $0 * 86_400 }
        fields.expirationDate = day.map { start + ($0 + days) * 86_400 }
        return fields
    }

    private static func order(_ transactions: [TransactionFields], excludesOld: Bool) -> [String?] {
        let answer = SubscriptionAnswer(
            transactions: transactions, latestReceipt: [], excludesOldTransactions: excludesOld)
        return answer.members.first?.value.array?.map { $0["transaction_id"]?.string } ?? []
    }

    @Test("transactions stand newest first by purchase date, of the same date as they were given")
    func newestFirst() {
        let transactions = [
            Self.transaction("2", of: "1", day: 30), Self.transaction("x", of: "1", day: nil),
            Self.transaction("1", of: "1", day: 0), Self.transaction("b", of: "b", day: 30),
            Self.transaction("3", of: "1", day: 60),
        ]
        #expect(Self.order(transactions, excludesOld: false) == ["3", "2", "b", "1", "x"])
    }

    @Test("without old transactions one of each subscription is left, the newest")
    func newestOfEach() {
        let transactions = [
            Self.transaction("2", of: "1", day: 30), Self.transaction("1", of: "1", day: 0),
            Self.transaction("b", of: "b", day: 10), Self.transaction("3", of: "1", day: 60, product: "yearly"),
            Self.transaction("c", of: "b", day: 10, days: 60),
        ]
        #expect(Self.order(transactions, excludesOld: true) == ["3", "c"])
    }

    @Test("where no original is named the product is the subscription")
    func withoutOriginal() {
        let transactions = [
            Self.transaction("0", of: nil, day: 0, product: "a"), Self.transaction("0", of: nil, day: 1, product: "b"),
            Self.transaction("1", of: nil, day: 2, product: "a"),
        ]
        #expect(Self.order(transactions, excludesOld: true) == ["1", "0"])
    }

    @Test("renewals follow the receipt if they are known, and are left out if not")
    func renewals() {
        var renewal = RenewalFields()
        renewal.autoRenewStatus = true
        var answer = SubscriptionAnswer(
            transactions: [], renewals: [renewal], latestReceipt: [1, 2, 3], excludesOldTransactions: false)
        #expect(answer.members.map(\.name) == ["latest_receipt_info", "latest_receipt", "pending_renewal_info"])
        #expect(answer.members.map(\.value)[1] == "AQID")
        #expect(answer.members.map(\.value)[2] == [["auto_renew_status": "1"]])
        answer.renewals = nil
        #expect(answer.members.map(\.name) == ["latest_receipt_info", "latest_receipt"])
    }
}
