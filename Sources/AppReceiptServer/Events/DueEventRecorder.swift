#if Server
import AppReceiptFoundation
import AppReceiptStore
import AppReceiptSupport
import Logging
import ServiceLifecycle

/// Records the changes of entitlements that only time makes, such as the end of a period.
///
/// Any number of servers may do so: the database records each change once.
@available(AppReceiptServer 1.0, *)
struct DueEventRecorder: Service {
    let store: any EvidenceStore
    let databaseFailures: DatabaseFailureLog
    let logger: Logger
    var clock: @Sendable () -> Date = { Date() }

    /// The longest delay of a change, beside the time that recording takes.
    private static let interval = Duration.seconds(5)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await recordDueEvents()
                // Cancellation ends the loop.
                try? await Task.sleep(for: Self.interval)
            }
        }
    }

    /// Records what is due, in as many commits as that takes.
    func recordDueEvents() async {
        do throws(StoreError) {
            var isDue = true
            while isDue, !Task.isCancelled {
                let now = clock()
                let next = try await store.recordDueEvents(at: now)
                isDue = next.flatMap { next in now.milliseconds.map { next <= $0 } } ?? false
            }
        } catch {
            databaseFailures.log(error, logger: logger)
        }
    }
}
#endif
