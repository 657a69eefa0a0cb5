import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An app transaction.
@available(AppStoreServerAPI 1.0, *)
struct StoreAppTransactionResult: StoreResult {
    let appTransaction: VerifiedAppTransaction
    private let environment: ReceiptEnvironment.Base

    init(_ appTransaction: VerifiedAppTransaction) {
        self.appTransaction = appTransaction
        // The client verified that the app transaction is from the environment that was asked.
        environment = appTransaction.environment ?? .production
    }

    var signedDates: [Date] { [appTransaction.signedDate] }

    var json: JSONValue {
        ["appTransaction": .object(appTransaction.claims.members), "environment": .string(environment.rawValue)]
    }

    var lines: [String] {
        let text = ReceiptText(terminal: .output, now: Date())
        return [SignedDataSummary(.appTransaction(appTransaction)).event, ""]
            + SignedDataText.members(text, appTransaction.claims.members, "App transaction, \(environment.rawValue)")
    }
}
