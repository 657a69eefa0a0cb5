package import AppReceiptKit

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

extension VerifiedSignedData {
    /// Derives the customer's entitlements from this data alone.
    ///
    /// The transaction and the renewal information of a notification count together. Renewal information alone proves no purchase, and an
    /// app transaction contains none.
    ///
    /// - Parameters:
    ///   - date: The date at which the entitlements apply.
    /// - Returns: The entitlements; nil for data without a transaction.
    package func entitlements(at date: Date) -> Entitlements? {
        guard let transaction, let environment = transaction.environment,
            let bundle = transaction.claims.bundleIdentifier
        else { return nil }
        var evidence = CustomerEvidence()
        evidence.add(self)
        return Entitlements(of: evidence, bundleIdentifier: bundle, environment: environment, at: date)
    }
}
