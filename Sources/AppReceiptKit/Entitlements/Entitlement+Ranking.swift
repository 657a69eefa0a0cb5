#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Entitlement {
    /// An entitlement from one original transaction, ranked among those from others to the same product.
    struct Ranked {
        let entitlement: Entitlement
        /// The start of what decides its state.
        private let start: Date

        init(_ entitlement: Entitlement, start: Date) {
            self.entitlement = entitlement
            self.start = start
        }

        /// Whether `other` says more about the product: an active one before an inactive one, then the latest end of access; of inactive
        /// ones what has begun before what hasn't, then the latest start.
        func isLess(than other: Ranked) -> Bool {
            let (mine, its) = (entitlement, other.entitlement)
            if mine.isActive != its.isActive { return its.isActive }
            if mine.isActive {
                let ends = (mine.until ?? .distantFuture, its.until ?? .distantFuture)
                if ends.0 != ends.1 { return ends.0 < ends.1 }
            } else if (mine.state == .notStarted) != (its.state == .notStarted) {
                return mine.state == .notStarted
            }
            if start != other.start { return start < other.start }
            return (mine.originalTransactionIdentifier ?? "", mine.transactionIdentifier ?? "")
                < (its.originalTransactionIdentifier ?? "", its.transactionIdentifier ?? "")
        }
    }
}
