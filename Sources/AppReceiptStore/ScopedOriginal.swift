#if Server
import AppReceiptKit

/// An original transaction of an app in one environment.
package struct ScopedOriginal: Sendable, Hashable {
    /// The app and environment.
    package let scope: AppScope
    /// The original transaction.
    package let originalTransactionIdentifier: String

    /// Creates a scoped original transaction.
    package init(scope: AppScope, originalTransactionIdentifier: String) {
        self.scope = scope
        self.originalTransactionIdentifier = originalTransactionIdentifier
    }
}

extension ScopedOriginal: Comparable {
    package static func < (left: ScopedOriginal, right: ScopedOriginal) -> Bool {
        (left.originalTransactionIdentifier, left.scope.environment.rawValue, left.scope.app)
            < (right.originalTransactionIdentifier, right.scope.environment.rawValue, right.scope.app)
    }
}
#endif
