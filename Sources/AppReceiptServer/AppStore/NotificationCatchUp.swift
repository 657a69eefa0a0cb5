#if Server
import AppReceiptKit
import AppStoreServerAPI
import AppStoreSignedData
import Logging
import ServiceLifecycle

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads the notifications that the App Store sent, or tried to send, while the server was stopped or unreachable.
///
/// At the start and every hour, it reads from the end of the last complete pass, at most 180 days back. Before the first pass it reads
/// everything. A notification that is known already is recorded again, without effect. A pass in which signed data doesn't verify isn't
/// complete: the next one reads the same notifications again.
@available(AppReceiptServer 1.0, *)
struct NotificationCatchUp: Service {
    let clients: AppStoreClients
    let store: TransactionStore
    let bundleIdentifiers: Set<String>
    let environments: Set<ReceiptEnvironment.Base>
    let clock: AppStoreServerClock
    let metrics: ServerMetrics
    let logger: Logger

    private static let interval = Duration.seconds(3600)
    private static let intervalAfterFailure = Duration.seconds(60)
    /// Apple keeps notifications for 180 days. A minute less, so that the request isn't rejected because of another clock.
    private static let maxAge: Int64 = 180 * 86_400_000 - 60_000
    /// The part of the last pass that is read again, because a notification may be listed late.
    private static let overlap: Int64 = 600_000

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                let isComplete = await catchUp()
                // Cancellation ends the loop.
                try? await clock.sleep(isComplete ? Self.interval : Self.intervalAfterFailure)
            }
        }
    }

    /// Reads the notifications of every app and environment.
    ///
    /// - Returns: Whether all were read, or can't be read soon either.
    func catchUp() async -> Bool {
        var isComplete = true
        do throws(StoreError) {
            for scope in try await scopes() where !Task.isCancelled {
                if try await !catchUp(scope) { isComplete = false }
            }
        } catch {
            logger.databaseFailed(error)
            return false
        }
        return isComplete
    }

    /// The configured apps, or those of the stored purchases if every app is accepted.
    private func scopes() async throws(StoreError) -> [AppScope] {
        guard !bundleIdentifiers.isEmpty else {
            return try await store.scopes().filter { scope in
                environments.contains { $0.rawValue == scope.environment }
            }
        }
        return bundleIdentifiers.sorted().flatMap { app in
            environments.sorted { $0.rawValue < $1.rawValue }.compactMap { AppScope(app: app, $0) }
        }
    }

    private func catchUp(_ scope: AppScope) async throws(StoreError) -> Bool {
        let end = clock.now().milliseconds ?? 0
        let last = try await store.caughtUp(scope).map { $0 - Self.overlap }
        let start = max(last ?? 0, end - Self.maxAge)
        guard start < end else { return true }
        do {
            let client = try clients.client(for: scope)
            let query = NotificationHistoryQuery(from: Self.date(start), to: Self.date(end))
            var new = 0
            var rejected: [RejectedItem] = []
            for try await page in client.notificationHistory(query, in: scope.base) {
                rejected += page.rejected
                for sent in page.notifications {
                    let recorded = try await store.record(sent.notification)
                    if recorded.isNew { new += 1 }
                }
            }
            // What was rejected is read again, because the cause may be a setting.
            if rejected.isEmpty { try await store.setCaughtUp(scope, end) }
            metrics.caughtUp(new)
            if new > 0 || !rejected.isEmpty {
                var metadata: Logger.Metadata = [
                    "app": "\(scope.app)", "environment": "\(scope.environment)", "new": "\(new)",
                    "rejected": "\(rejected.count)",
                ]
                if !rejected.isEmpty { metadata["code"] = "\(rejected.firstCode)" }
                logger.log(
                    level: rejected.isEmpty ? .info : .warning, "Notifications were read from the App Store",
                    metadata: metadata)
            }
            return true
        } catch let error as AppStoreServerError {
            guard error.code != .canceled else { return false }
            metrics.appStoreRequest(outcome: error.code.rawValue)
            // An environment without an address for notifications has none to read.
            if error.code != .serverNotificationURLNotFound {
                logger.log(
                    level: error.concernsWholeApp ? .error : .warning, "Notifications can't be read from the App Store",
                    metadata: error.metadata(for: scope, key: clients.keyIdentifier))
            }
            // Others, such as 401 for an app that was never approved, would fail again in a minute.
            return !error.isRetryable
        } catch {
            throw StoreError(error)
        }
    }

    private static func date(_ milliseconds: Int64) -> Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
}

@available(AppReceiptServer 1.0, *)
extension NotificationCatchUp: CustomStringConvertible {
    /// The type's name. ServiceLifecycle logs services, and the properties aren't for the log.
    var description: String { "NotificationCatchUp" }
}
#endif
