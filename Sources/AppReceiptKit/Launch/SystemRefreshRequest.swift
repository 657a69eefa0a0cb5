#if canImport(Darwin) || SHAPE_APPLE
import Foundation
import StoreKit

/// Requests a receipt through StoreKit.
struct SystemRefreshRequest: ReceiptRefreshing {
    static let isAvailable = true

    func perform() async throws {
        let session = await RefreshSession()
        try await withTaskCancellationHandler {
            try await session.run()
        } onCancel: {
            Task { @MainActor in session.cancel() }
        }
    }
}

/// Retains a request and its delegate until the callback, as StoreKit requires. The thread of the callback isn't
/// documented.
@MainActor
private final class RefreshSession: NSObject, SKRequestDelegate {
    private let request = SKReceiptRefreshRequest(receiptProperties: nil)
    private var continuation: CheckedContinuation<Void, any Error>?

    func run() async throws {
        // A cancellation before this point found no continuation; one after it runs later, on this actor.
        try Task.checkCancellation()
        try await withCheckedThrowingContinuation { continuation in
            self.continuation = continuation
            request.delegate = self
            request.start()
        }
    }

    func cancel() {
        guard continuation != nil else { return }
        request.cancel()
        finish(.failure(CancellationError()))
    }

    nonisolated func requestDidFinish(_ request: SKRequest) {
        Task { @MainActor in finish(.success(())) }
    }

    nonisolated func request(_ request: SKRequest, didFailWithError error: any Error) {
        Task { @MainActor in finish(.failure(error)) }
    }

    /// Ends the session. Only the first call has an effect.
    private func finish(_ result: Result<Void, any Error>) {
        continuation?.resume(with: result)
        continuation = nil
        request.delegate = nil
    }
}
#else
/// The request for systems without an App Store, which always fails.
struct SystemRefreshRequest: ReceiptRefreshing {
    static let isAvailable = false

    func perform() async throws { throw ReceiptRefreshError(.unavailable) }
}
#endif
