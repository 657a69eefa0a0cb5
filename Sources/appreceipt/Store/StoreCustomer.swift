import AppReceiptKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An identifier of a customer, and the environments to ask about it.
@available(AppStoreServerAPI 1.0, *)
struct StoreCustomer {
    let identifier: String
    let environments: [ReceiptEnvironment.Base]

    init(identifier: String, environments: [ReceiptEnvironment.Base]) {
        self.identifier = identifier
        self.environments = environments
    }

    /// Finds the identifier in a receipt, after verifying it.
    ///
    /// - Parameter environment: The environment that the receipt must be from; nil to ask the receipt's.
    init(
        receipt source: Result<[UInt8], ReceiptError>, verifier: ReceiptVerifier, bundleIdentifier: String,
        environment: ReceiptEnvironment.Base?, now: Date
    ) throws(StoreFailure) {
        let expectations = Expectations(
            bundleIdentifier: .identifier(bundleIdentifier),
            environments: environment.map { .only([$0]) } ?? .anyEnvironment)
        let report = verifier.report(source: source, expecting: expectations, now: now)
        let receipt: VerifiedReceipt
        switch report.result {
        case .success(let verified): receipt = verified
        case .failure(let error):
            // The message of the check contains the actual and expected values.
            throw StoreFailure(error, message: report.firstFailure?.message)
        }
        guard let environment = receipt.environment else {
            throw StoreFailure(
                ReceiptError(receipt.receipt.environment == nil ? .environmentMissing : .environmentUnknown))
        }
        let newest = receipt.purchases.max {
            ($0.purchaseDate ?? .distantPast) < ($1.purchaseDate ?? .distantPast)
        }
        guard let identifier = newest?.originalTransactionIdentifier ?? newest?.transactionIdentifier else {
            throw StoreFailure.receiptWithoutPurchases
        }
        self.init(identifier: identifier, environments: [environment])
    }
}
