#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Entitlement {
    /// A possible entitlement, from one original transaction.
    struct Ranked {
        let rank: Rank
        let entitlement: Entitlement
    }

    /// The rank of a possible entitlement among those to the same product from other original transactions.
    struct Rank {
        let productIdentifier: String
        let kind: Kind
        let state: State
        let until: Date?
        let originalTransactionIdentifier: String?
        let transactionIdentifier: String?
        /// The start of the period or purchase that determines the state.
        let start: Date

        /// Returns whether `other` has a higher rank.
        ///
        /// An active entitlement ranks above an inactive one. Of active entitlements, the latest end of access ranks highest. Of inactive
        /// entitlements, those that have started rank above those that haven't, then the latest start ranks highest.
        func isLess(than other: Rank) -> Bool {
            let isActive = Entitlement.isActive(kind, state)
            if isActive != Entitlement.isActive(other.kind, other.state) { return !isActive }
            if isActive {
                let ends = (until ?? .distantFuture, other.until ?? .distantFuture)
                if ends.0 != ends.1 { return ends.0 < ends.1 }
            } else if (state == .notStarted) != (other.state == .notStarted) {
                return state == .notStarted
            }
            if start != other.start { return start < other.start }
            return (originalTransactionIdentifier ?? "", transactionIdentifier ?? "")
                < (other.originalTransactionIdentifier ?? "", other.transactionIdentifier ?? "")
        }
    }
}
