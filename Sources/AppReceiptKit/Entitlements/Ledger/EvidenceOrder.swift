#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The order of evidence about one transaction. The greatest one counts.
///
/// Newer evidence follows older evidence. At equal dates a revocation follows, then an upgrade. Otherwise the tokens decide, so that the order of
/// arrival has no effect.
package struct EvidenceOrder: Sendable, Hashable, Comparable {
    /// When the evidence was signed.
    package let signedDate: Date
    /// Whether it states a revocation.
    package let hasRevocation: Bool
    /// Whether it states an upgrade.
    package let isUpgraded: Bool
    /// The token; empty for a receipt.
    package let token: String

    package init(signedDate: Date, hasRevocation: Bool, isUpgraded: Bool, token: String = "") {
        self.signedDate = signedDate
        self.hasRevocation = hasRevocation
        self.isUpgraded = isUpgraded
        self.token = token
    }

    package static func < (left: EvidenceOrder, right: EvidenceOrder) -> Bool {
        if left.signedDate != right.signedDate { return left.signedDate < right.signedDate }
        if left.hasRevocation != right.hasRevocation { return right.hasRevocation }
        if left.isUpgraded != right.isUpgraded { return right.isUpgraded }
        return left.token < right.token
    }
}
