#if Server
import AppReceiptKit
import AppStoreSignedData
import HTTPTypes
import Hummingbird
import Logging
import VerifyReceipt

@available(AppReceiptServer 1.0, *)
extension ServerCore {
    /// The app to compare with: the requested one, which must be served. If none is requested, the served app that the
    /// data claims to be for; if it claims another one, any of those that are served, so that the comparison fails.
    ///
    /// - Parameter requested: The request's `bundle-id`, or nil if it has none.
    func bundle(requested: String?, claimed: () -> String?) throws(APIError) -> String? {
        let served = configuration.bundleIdentifiers
        guard !served.isEmpty else { return requested }
        if let requested {
            guard served.contains(requested) else {
                throw .badRequest(
                    "bundle-not-served",
                    "This server doesn't serve the app in 'bundle-id'. It serves \(served.sorted().joined(separator: ", "))."
                )
            }
            return requested
        }
        if served.count > 1, let claimed = claimed(), served.contains(claimed) { return claimed }
        return served.min()
    }

    /// The environments to accept: the requested ones, which must be served, or all that are served.
    ///
    /// - Parameter requested: The request's `environment`, or nil if it has none.
    func environments(
        requested: Set<ReceiptEnvironment.Base>?
    ) throws(APIError) -> Set<ReceiptEnvironment.Base> {
        guard let requested else { return configuration.environments }
        guard requested.isSubset(of: configuration.environments) else {
            let served = configuration.environments.map(\.rawValue).sorted().joined(separator: ", ")
            throw .badRequest("environment-not-served", "This server serves only \(served).")
        }
        return requested
    }

    /// Whether purchases of an environment are stored.
    func servesHistory(of environment: ReceiptEnvironment.Base?) -> Bool {
        environment.map { $0 != .xcode && configuration.environments.contains($0) } ?? false
    }

    /// The evidence about the purchases in a receipt: the receipt's own, and what is stored.
    func ledger(of receipt: VerifiedReceipt, _ context: ServerContext) async throws -> PurchaseLedger {
        let originals = receipt.originals
        let app = receipt.receipt.bundleIdentifier ?? ""
        var history = CustomerHistory()
        if let environment = receipt.environment, servesHistory(of: environment) {
            do {
                history = try await LoggedHistory(store: store, logger: context.logger)
                    .history(of: originals, app: app, environment: environment)
            } catch {
                throw APIError(
                    .internalServerError, "state-unavailable", "The server couldn't read its database. Retry later.")
            }
        }
        return PurchaseLedger(
            bundleIdentifier: app, environment: receipt.environment, receipts: history.receipts,
            ownEvidence: [receipt.evidence], transactions: history.transactions, renewals: history.renewals,
            originals: originals)
    }

    /// Waits for something to be written, for `/v1`.
    func recordingForAPI<Value>(
        _ context: ServerContext, _ record: () async throws(StoreError) -> Value
    ) async throws -> Value {
        do {
            return try await recording(record)
        } catch let error as Unrecorded {
            context.logger.error("The database failed", metadata: ["error": "\(error.error)"])
            throw APIError(.internalServerError, "state-unavailable", "The server could not write to its database.")
        }
    }
}
#endif
