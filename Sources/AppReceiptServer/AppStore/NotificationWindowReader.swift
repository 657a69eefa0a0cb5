#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptStore
import AppReceiptSupport
import AppStoreServerAPI
import AppStoreSignedData

/// Reads one period of the App Store's notification history, and records the notifications in the database.
@available(AppReceiptServer 1.0, *)
struct NotificationWindowReader: Sendable {
    let client: AppStoreServerClient
    let scope: AppScope
    let store: any EvidenceStore
    let metrics: ServerMetrics
    /// Whether notifications of the other environment are expected, because both environments have the same address.
    let ignoresOtherEnvironment: Bool

    /// Whether notifications are forwarded that weren't received yet.
    let forwards: Bool

    /// The number of pages that are read of one period. A longer one is split, so that an interruption costs little,
    /// and the tokens of the pages don't expire.
    static let maxPages = 100

    /// The result of reading a window.
    struct Result: Sendable {
        var new = 0
        var rejected: [AppStoreServerClient.RejectedItem] = []
        var pages = 0
        /// The reason why not everything was read: too many pages, or reading them takes too long; nil if
        /// everything was.
        var incomplete: AppStoreServerError.Code?

        /// Whether the period needn't be read again.
        var isClean: Bool { incomplete == nil && rejected.isEmpty }
        /// The code of the reason to read the period again; nil if there is none.
        var code: String? { incomplete?.rawValue ?? (rejected.isEmpty ? nil : rejected.firstCode) }
    }

    /// Reads a period. What was read of an incomplete one is recorded too.
    ///
    /// - Parameter period: Milliseconds since 1970.
    /// - Throws: `AppStoreServerError` or `StoreError`.
    func read(_ period: Range<Int64>) async throws -> Result {
        var result = Result()
        let query = AppStoreServerClient.NotificationHistoryQuery(
            from: Date(milliseconds: period.lowerBound), to: Date(milliseconds: period.upperBound))
        do {
            for try await page in client.notificationHistory(query, in: scope.environment) {
                result.pages += 1
                result.rejected += page.rejected.filter { !isIgnored($0) }
                let new = try await record(page)
                result.new += new
                metrics.countCaughtUpNotifications(new)
                guard !page.hasMore || result.pages < Self.maxPages else {
                    result.incomplete = .tooManyPages
                    break
                }
            }
        } catch let error as AppStoreServerError where Self.isTooLong(error) {
            result.incomplete = error.code
        }
        return result
    }

    private func record(_ page: AppStoreServerClient.NotificationHistoryPage) async throws(StoreError) -> Int {
        let source: EvidenceSource = forwards ? .forwarded(body: nil) : .client
        let evidence = CustomerEvidence(notifications: page.notifications.map(\.notification))
        return try await store.record(evidence, account: nil, app: nil, from: source).newCount
    }

    private func isIgnored(_ item: AppStoreServerClient.RejectedItem) -> Bool {
        ignoresOtherEnvironment && item.error.receiptError?.code == .environmentMismatch
    }

    /// Returns whether a shorter period may be readable.
    private static func isTooLong(_ error: AppStoreServerError) -> Bool {
        [.tooManyPages, .pagesWithoutEnd, .paginationTokenExpired].contains(error.code)
            || error.appleErrorCode == 4_000_014
    }
}
#endif
