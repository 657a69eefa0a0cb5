import AppStoreSignedData
import Foundation

/// What the customer has now, asked once of everything that is known: the receipt of an old version of the app, and what
/// StoreKit 2 signed since.
func active(receipt: VerifiedReceipt?, transactions: [VerifiedTransaction], renewals: [VerifiedRenewalInfo])
    -> [Purchase]
{
    Purchases(receipt: receipt, transactions: transactions, renewals: renewals).active(at: Date())
}
