import AppReceiptKit
import AppStoreSignedData

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerClient {
    /// Checks that an answer is about the customer whose identifier was requested.
    ///
    /// An answer with the identifier is. If an answer that has to contain it doesn't, it is another customer's. Otherwise the requested
    /// transaction is requested itself, and compared. An App Store that doesn't know the transaction but lists purchases for it
    /// contradicts itself. An answer that shares nothing with the transaction is accepted if it is only a part of the customer's
    /// purchases, because that proves nothing: it may be the refund of another product.
    ///
    /// - Parameters:
    ///   - evidence: The evidence of the whole answer.
    ///   - identifier: The requested identifier.
    ///   - content: What the answer contains, if it is complete.
    ///   - environment: The environment of the answer.
    /// - Throws: An error with the code `answer-for-another-transaction`, or the failure of the request for the transaction.
    func confirm(
        _ evidence: CustomerEvidence, of identifier: String, content: AnswerContent,
        in environment: ReceiptEnvironment.Base
    ) async throws(AppStoreServerError) {
        guard !evidence.isEmpty, !evidence.isNamed else { return }
        guard content != .everything || evidence.hasRejectedItems else { throw Self.otherCustomer(environment) }
        let known: VerifiedTransaction
        do throws(AppStoreServerError) {
            known = try await only(environment).transaction(identifier)
        } catch {
            if error.code == .appTransactionIdentifierNotSupported {
                // The identifier is that of an app transaction, so there is nothing to compare.
                guard content == .everything else { return }
            } else {
                guard error.httpStatus == 404, error.appleErrorCode != nil, !error.isRetryable else { throw error }
            }
            throw Self.otherCustomer(environment)
        }
        var requested = CustomerEvidence(identifier)
        requested.add([known])
        if evidence.shares(with: requested) { return }
        let isMissing =
            switch content {
            case .everything: true
            case .everySubscription: known.claims.productType == .autoRenewableSubscription
            case .part: false
            }
        guard !isMissing else { throw Self.otherCustomer(environment) }
    }

    static func otherCustomer(_ environment: ReceiptEnvironment.Base) -> AppStoreServerError {
        AppStoreServerError(
            .answerForAnotherTransaction,
            "The answer contains purchases of another customer than the one whose identifier was requested. Of a restored purchase, pass the original one.",
            in: environment)
    }
}
