#if canImport(Darwin) || SHAPE_MACOS || SHAPE_CATALYST || SHAPE_IOS || SHAPE_WATCHOS
import Foundation
import StoreKit

/// Requests a receipt through StoreKit.
struct SystemRefreshRequest: ReceiptRefreshRequest {
    func perform() async throws {
        let session = await RefreshSession()
        try await withTaskCancellationHandler {
            try await session.run()
        } onCancel: {
            Task { @MainActor in session.cancel() }
        }
    }
}

/// Retains a request and is its delegate until it has called back, as StoreKit requires. StoreKit calls back on a thread
/// that isn't documented.
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

    /// Only the first result is used.
    private func finish(_ result: Result<Void, any Error>) {
        continuation?.resume(with: result)
        continuation = nil
        request.delegate = nil
    }
}
#else
/// On systems without an App Store.
struct SystemRefreshRequest: ReceiptRefreshRequest {
    func perform() async throws { throw ReceiptRefreshError(.unavailable) }
}
#endif
