import AppReceiptKit
import Foundation

/// What to store beside an account: until when each subscription is paid, by original transaction identifier.
/// The same identifier beside another account is a receipt that somebody passed on.
func subscriptions(in verified: VerifiedReceipt) -> [String: Date] {
    let lines = verified.purchases.subscriptionLines
    return Dictionary(lines.map { ($0.originalTransactionIdentifier, $0.latest.end) }, uniquingKeysWith: max)
}

/// Whether to offer a free trial; the store has the last word when the customer buys.
func offersTrial(to verified: VerifiedReceipt) -> Bool {
    verified.purchases.introductoryOfferEligibility(in: ["com.example.monthly", "com.example.yearly"]) == .eligible
}
