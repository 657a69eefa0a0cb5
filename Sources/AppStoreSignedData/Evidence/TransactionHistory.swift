public import AppReceiptKit

/// A source of evidence about customers beyond the receipt that a request contains.
///
/// Fill it from signed data (App Store Server Notifications, the App Store Server API, or what devices send) and from
/// receipts, each verified, as the types require. A history only selects evidence; it doesn't interpret it.
public protocol TransactionHistory: Sendable {
    /// Returns the known evidence for these purchases, without evidence of other customers.
    ///
    /// Return every revocation and the newest evidence of each original transaction. If a limit doesn't allow that,
    /// throw: a response from incomplete evidence could grant what was refunded.
    ///
    /// - Parameters:
    ///   - originals: The original transaction identifiers in the receipt.
    ///   - app: The receipt's bundle identifier.
    ///   - environment: The receipt's environment. The same identifier may be another purchase in another environment.
    /// - Returns: The evidence.
    /// - Throws: An error if the history isn't available. The client gets 21100 and can retry.
    func history(
        of originals: Set<String>, app: String, environment: AppStoreEnvironment
    ) async throws -> CustomerEvidence

    /// Returns the known evidence about the purchases in a receipt. The receipt itself may be left out, because the
    /// caller has it.
    ///
    /// By default, all evidence about the original transactions in the receipt. A history that stores receipts can be
    /// faster than that: most receipts that apps send are known.
    ///
    /// - Parameter receipt: The receipt, with at least one purchase.
    /// - Returns: The evidence.
    /// - Throws: As for ``history(of:app:environment:)``.
    func history(for receipt: VerifiedReceipt) async throws -> CustomerEvidence
}

extension TransactionHistory {
    /// Returns all known evidence about the original transactions in a receipt.
    public func history(for receipt: VerifiedReceipt) async throws -> CustomerEvidence {
        guard let app = receipt.bundleIdentifier, let environment = receipt.environment else {
            return CustomerEvidence()
        }
        return try await history(of: receipt.originals, app: app, environment: environment)
    }
}
