import AppReceiptKit
import AppReceiptSupport

/// Records the signatures that are verified while a closure runs.
package final class VerifiedSignatures: Sendable {
    private let recorded = LockedValueBox<[[UInt8]]>([])

    /// Returns the signatures that `body` verifies, in order. A signature that is verified twice occurs twice.
    package static func during(_ body: () throws -> Void) rethrows -> [[UInt8]] {
        let signatures = VerifiedSignatures()
        try SignatureVerificationObserver.$current.withValue(signatures.observer, operation: body)
        return signatures.recorded.withLock { $0 }
    }

    /// The signatures that `body` verifies, in its task and the tasks that it starts.
    package static func whileAwaiting(_ body: () async throws -> Void) async rethrows -> [[UInt8]] {
        let signatures = VerifiedSignatures()
        try await SignatureVerificationObserver.$current.withValue(signatures.observer, operation: body)
        return signatures.recorded.withLock { $0 }
    }

    private var observer: SignatureVerificationObserver { SignatureVerificationObserver { self.record($0) } }

    private func record(_ signature: ArraySlice<UInt8>) {
        recorded.withLock { $0.append(Array(signature)) }
    }
}
