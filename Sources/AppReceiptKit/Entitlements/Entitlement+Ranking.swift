#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Entitlement {
    /// An entitlement from one original transaction, ranked among the entitlements to the same product from others.
    struct Ranked {
        let entitlement: Entitlement
        /// The start of the period or purchase that determines the state.
        private let start: Date

        init(_ entitlement: Entitlement, start: Date) {
            self.entitlement = entitlement
            self.start = start
        }

        /// Returns whether `other` has a higher rank.
        ///
        /// An active entitlement ranks above an inactive one. Of active entitlements, the latest end of access ranks highest. Of inactive
        /// entitlements, those that have started rank above those that haven't, then the latest start ranks highest.
        func isLess(than other: Ranked) -> Bool {
            let (left, right) = (entitlement, other.entitlement)
            if left.isActive != right.isActive { return right.isActive }
            if left.isActive {
                let ends = (left.until ?? .distantFuture, right.until ?? .distantFuture)
                if ends.0 != ends.1 { return ends.0 < ends.1 }
            } else if (left.state == .notStarted) != (right.state == .notStarted) {
                return left.state == .notStarted
            }
            if start != other.start { return start < other.start }
            return (left.originalTransactionIdentifier ?? "", left.transactionIdentifier ?? "")
                < (right.originalTransactionIdentifier ?? "", right.transactionIdentifier ?? "")
        }
    }
}
