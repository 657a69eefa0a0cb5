import AppReceiptKit
import AppReceiptSupport

extension NotificationClaims {
    /// The tokens in the notification, with the names of their members.
    var nestedTokens: [(name: String, token: String)] {
        let tokens: [(name: String, token: String?)] =
            switch subject {
            case .data(let data):
                [("signedTransactionInfo", data.transaction), ("signedRenewalInfo", data.renewalInfo)]
            case .appData(let data): [("signedAppTransactionInfo", data.appTransaction)]
            default: []
            }
        return tokens.compactMap { name, token in token.map { (name, $0) } }
    }
}
