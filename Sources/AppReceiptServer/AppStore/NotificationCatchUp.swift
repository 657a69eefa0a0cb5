#if Server
import AppReceiptKit
import AppReceiptStore
import AppReceiptSupport
import AppStoreServerAPI
import AppStoreSignedData
import Logging
import ServiceLifecycle

/// Reads the notifications that the App Store sent, or tried to send, while the server was stopped or unreachable.
///
/// At the start and every hour, it reads from the end of the last pass, at most 180 days back. Before the first pass it
/// reads everything. A notification that is known already is recorded again, without effect.
///
/// A pass begins with one period, and splits it only if it has too many pages, so an app with few notifications costs
/// one request. After each period, the date up to which everything was read is stored, and a pass that follows an
/// interrupted one begins with a shorter period. A period in which signed data doesn't verify, or that has too many
/// pages although it can't be shorter, doesn't delay the ones after it: it is read again with growing pauses, not by
/// the passes in between, and given up after ``maxAttempts``.
@available(AppReceiptServer 1.0, *)
struct NotificationCatchUp: Service {
    let clients: AppStoreClients
    let store: any EvidenceStore
    /// The apps; empty for those of the stored purchases.
    let apps: [AppConfiguration]
    /// The environments, unless an app has its own.
    let environments: Set<AppStoreEnvironment>
    let clock: AppStoreServerClock
    let metrics: ServerMetrics
    let databaseFailures: DatabaseFailureLog
    let logger: Logger

    /// The number of times a period with notifications that don't verify is read: over more than five days,
    /// because the cause may be a setting.
    static let maxAttempts = 8
    private static let interval = Duration.seconds(3600)
    private static let intervalAfterFailure = Duration.seconds(60)
    /// Apple keeps notifications for 180 days. An hour less, so that the request isn't rejected because of another
    /// clock.
    private static let maxAge: Int64 = 180 * 86_400_000 - 3_600_000
    /// The part at the end of a pass that the next one reads again, because a notification may be listed late.
    private static let overlap: Int64 = 600_000
    /// The divisor of a period's length after one with too many pages. Those are read in vain, so there should
    /// be few.
    private static let parts: Int64 = 8
    /// The length of a period that isn't split.
    private static let minLength: Int64 = 1000
    /// The number of periods that can't be split further after which a pass ends, because each costs as many pages as a
    /// long one.
    private static let maxUnreadable = 10
    private static let firstPause: Int64 = 3_600_000
    /// The number of apps and environments that are read at the same time, so that one with an outage doesn't delay the
    /// others.
    private static let maxScopes = 8
    private static let maxGapsPerPass = 100

    private var now: Int64 { clock.now().milliseconds ?? 0 }

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
        let scopes: [AppScope]
        do throws(StoreError) {
            scopes = try await self.scopes()
        } catch {
            databaseFailures.log(error, logger: logger)
            return false
        }
        return await withTaskGroup(of: Bool.self) { group in
            var isComplete = true
            for (index, scope) in scopes.enumerated() {
                if index >= Self.maxScopes, await group.next() == false { isComplete = false }
                group.addTask { await catchUp(scope) }
            }
            for await result in group where !result { isComplete = false }
            return isComplete
        }
    }

    /// Returns the configured apps, or those of the stored purchases if every app is accepted.
    private func scopes() async throws(StoreError) -> [AppScope] {
        let scopes =
            apps.isEmpty
            ? try await store.scopes().filter { environments.contains($0.environment) }
            : apps.flatMap { app in
                (app.environments ?? environments).compactMap { AppScope(app: app.bundleIdentifier, $0) }
            }
        return scopes.filter { clients.hasKey(for: $0.app) }.sorted()
    }

    // MARK: A pass

    private struct Pass {
        var new = 0
        var rejected = 0
        /// The number of periods of which only a part could be read, although they can't be split.
        var unreadable = 0
        var firstCode: String?

        /// Adds what was read of a period that isn't split.
        mutating func add(_ result: NotificationWindowReader.Result) {
            new += result.new
            rejected += result.rejected.count
            if result.incomplete != nil { unreadable += 1 }
            if firstCode == nil { firstCode = result.code }
        }
    }

    private func catchUp(_ scope: AppScope) async -> Bool {
        var pass = Pass()
        defer { log(pass, of: scope) }
        do {
            let reader = NotificationWindowReader(
                client: try clients.client(for: scope), scope: scope, store: store, metrics: metrics,
                ignoresOtherEnvironment: clients.haveOneAddress,
                forwards: apps.app(named: scope.app)?.forwardsNotifications ?? false)
            let hasReachedEnd = try await readNew(with: reader, into: &pass)
            try await readGaps(with: reader, into: &pass)
            return hasReachedEnd
        } catch let error as AppStoreServerError {
            guard error.code != .canceled else { return false }
            metrics.countAppStoreRequest(outcome: error.code.rawValue)
            guard error.code != .serverNotificationURLNotFound else {
                // An environment without an address for notifications has none to read.
                metrics.recordCaughtUp(scope, until: now)
                return true
            }
            logger.log(
                level: error.concernsWholeApp ? .error : .warning, "Notifications can't be read from the App Store",
                metadata: error.metadata(for: scope, key: clients.keyIdentifier(of: scope.app)))
            // Others, such as 401 for an app that was never approved, would fail again in a minute.
            return !error.isRetryable
        } catch {
            databaseFailures.log(StoreError(error), logger: logger)
            return false
        }
    }

    /// Reads from the end of the last pass until now, except for the periods that are read again at another time.
    ///
    /// - Returns: Whether it reached the end.
    private func readNew(with reader: NotificationWindowReader, into pass: inout Pass) async throws -> Bool {
        let (scope, end) = (reader.scope, now)
        var position = try await store.catchUpPosition(of: scope)
        let last = last(position, of: scope, before: end)
        metrics.recordCaughtUp(scope, until: last ?? 0)
        var start = max(last ?? 0, end - Self.maxAge)
        let gaps = try await store.gaps(in: scope).map(\.period).filter { $0.upperBound > start }
        var length = min(max(position.periodLength ?? Int64.max, Self.minLength), end - start)
        var unreadable = 0
        while start < end {
            if let gap = gaps.first(where: { $0.contains(start) }) {
                start = gap.upperBound
                continue
            }
            let next = gaps.first { $0.lowerBound > start }?.lowerBound ?? end
            let period = start..<min(start + length, next, end)
            let part = max(Int64(period.count) / Self.parts, Self.minLength)
            // If the process ends before the period is read, so would one that reads it again.
            position.periodLength = part
            try await store.setCatchUpPosition(position, of: scope, leaving: nil)
            let result = try await reader.read(period)
            if result.incomplete != nil, period.count > Self.minLength {
                pass.new += result.new
                length = part
                continue
            }
            pass.add(result)
            if result.incomplete != nil {
                unreadable += 1
            } else if result.pages <= NotificationWindowReader.maxPages / 4 {
                length = min(length * 2, Self.maxAge)
            }
            start = period.upperBound
            let reached = max(last ?? 0, min(start, end - Self.overlap))
            position = CatchUpPosition(reached: reached, periodLength: length)
            try await store.setCatchUpPosition(
                position, of: scope,
                leaving: result.isClean
                    ? nil : NotificationGap(period: period, attempts: 1, due: now + Self.firstPause))
            metrics.recordCaughtUp(scope, until: reached)
            guard unreadable < Self.maxUnreadable else { return false }
        }
        position.periodLength = nil
        try await store.setCatchUpPosition(position, of: scope, leaving: nil)
        metrics.recordCaughtUp(scope, until: end)
        return true
    }

    /// Returns the date up to which the notifications were read; nil if they never were, or not at this date.
    private func last(_ position: CatchUpPosition, of scope: AppScope, before end: Int64) -> Int64? {
        guard let last = position.reached else { return nil }
        guard last < end else {
            logger.warning(
                "The date up to which notifications were read is in the future: the clock was wrong. Everything is read again",
                metadata: ["app": "\(scope.app)", "environment": "\(scope.environment.rawValue)"])
            return nil
        }
        return last
    }

    // MARK: Gaps

    /// Reads the periods again that are due.
    private func readGaps(with reader: NotificationWindowReader, into pass: inout Pass) async throws {
        let scope = reader.scope
        let due = try await store.gaps(in: scope).filter { $0.due <= now }
        for gap in due.prefix(Self.maxGapsPerPass) {
            let start = max(gap.period.lowerBound, now - Self.maxAge)
            guard start < gap.period.upperBound else {
                try await giveUp(gap, of: scope, after: NotificationWindowReader.Result())
                continue
            }
            let result = try await reader.read(start..<gap.period.upperBound)
            pass.add(result)
            if result.isClean {
                try await store.remove(gap, in: scope)
            } else if gap.attempts + 1 >= Self.maxAttempts {
                try await giveUp(gap, of: scope, after: result)
            } else {
                var next = gap
                next.attempts += 1
                next.due = now + Self.firstPause << Int64(gap.attempts)
                try await store.update(next, in: scope)
            }
        }
    }

    private func giveUp(
        _ gap: NotificationGap, of scope: AppScope, after result: NotificationWindowReader.Result
    ) async throws(StoreError) {
        try await store.remove(gap, in: scope)
        // How many there are in a period that can't be read isn't known.
        metrics.countAbandonedNotifications(max(result.rejected.count, 1))
        var metadata: Logger.Metadata = [
            "app": "\(scope.app)", "environment": "\(scope.environment.rawValue)",
            "rejected": "\(result.rejected.count)",
        ]
        metadata["code"] = result.code.map { "\($0)" }
        logger.warning("Notifications in the App Store's history are given up", metadata: metadata)
    }

    private func log(_ pass: Pass, of scope: AppScope) {
        guard pass.new > 0 || pass.rejected > 0 || pass.unreadable > 0 else { return }
        var metadata: Logger.Metadata = [
            "app": "\(scope.app)", "environment": "\(scope.environment.rawValue)", "new": "\(pass.new)",
            "rejected": "\(pass.rejected)", "unreadable-periods": "\(pass.unreadable)",
        ]
        metadata["code"] = pass.firstCode.map { "\($0)" }
        logger.log(
            level: pass.firstCode == nil ? .info : .warning, "Notifications were read from the App Store",
            metadata: metadata)
    }
}

@available(AppReceiptServer 1.0, *)
extension NotificationCatchUp: CustomStringConvertible {
    /// The type's name. ServiceLifecycle logs services, and the properties aren't for the log.
    var description: String { "NotificationCatchUp" }
}
#endif
