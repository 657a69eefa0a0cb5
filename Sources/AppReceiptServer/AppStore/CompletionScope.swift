#if Server
import AppStoreServerAPI

/// The requests to the App Store about an app and environment: how many are in progress, and whether it accepts them.
@available(AppReceiptServer 1.0, *)
struct CompletionScope: Sendable {
    /// The number of batches in progress.
    var requests = 0
    var isSearching = false
    /// Whether the database contains more due requests than the last search returned.
    var hasBacklog = false
    /// Whether the App Store couldn't be reached with the last request.
    private(set) var isUnreachable = false
    /// The end of a pause after the App Store rejected the key or the app, or limited the requests, and its reason.
    private var lastPause: (end: Int64, code: AppStoreServerError.Code)?

    var isIdle: Bool { requests == 0 && !isSearching && !hasBacklog && !isUnreachable && lastPause == nil }

    /// The number of batches that may be in progress. During an outage, one shows when it ends.
    var maxRequests: Int { isUnreachable ? 1 : CompletionStateMachine.maxRequestsPerScope }

    /// Returns the end of the pause; nil if there is none.
    func pauseEnd(at now: Int64) -> Int64? { lastPause.flatMap { $0.end > now ? $0.end : nil } }

    mutating func markReachable() -> [CompletionStateMachine.Notice] {
        guard isUnreachable else { return [] }
        isUnreachable = false
        return [.reachable]
    }

    /// Records that the App Store accepts no requests, or can't be reached, unless the failure concerns one customer.
    mutating func recordOutage(
        after error: AppStoreServerError, until end: Int64, at now: Int64
    ) -> [CompletionStateMachine.Notice] {
        if error.code == .rateLimited { return pause(after: error, until: end, at: now) }
        guard error.isOutage, !isUnreachable else { return [] }
        isUnreachable = true
        return [.unreachable(error)]
    }

    /// Pauses the requests until a date. A pause is logged once for each reason.
    mutating func pause(
        after error: AppStoreServerError, until end: Int64, at now: Int64
    ) -> [CompletionStateMachine.Notice] {
        let current = lastPause.flatMap { $0.end > now ? $0 : nil }
        let end = max(end, current?.end ?? 0)
        lastPause = (end, error.code)
        return current?.code == error.code ? [] : [.paused(error, until: end)]
    }
}
#endif
