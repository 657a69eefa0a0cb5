import AppReceiptKit
import Foundation

/// Who paid for the app, for a support screen.
func license(of verified: VerifiedReceipt, at date: Date = Date()) -> String {
    switch verified.volumePurchase(at: date) {
    case .personal: "bought or downloaded by a person, first in version \(verified.originalAppPurchase.version ?? "?")"
    case .licensed(until: nil): "licensed by an organization"
    case .licensed(until: let end?): "licensed by an organization until \(end)"
    case .ended(let end): "licensed by an organization, ended on \(end)"
    }
}
