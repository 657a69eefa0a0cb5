#if Server
import AppReceiptFoundation
import AppReceiptStore
import Logging
import ServiceLifecycle

/// Records the number of rows in the database, the clock and the process every minute, for metrics backends that don't
/// call `/metrics`.
///
/// With ``PrometheusRegistry``, `/metrics` records them when it is read.
@available(AppReceiptServer 1.0, *)
struct StateRecorder: Service {
    let store: any EvidenceStore
    let metrics: ServerMetrics
    let databaseFailures: DatabaseFailureLog
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                metrics.recordClockBehind(at: Date())
                metrics.record(ProcessUse.current)
                do throws(StoreError) {
                    metrics.record(try await store.statistics())
                } catch {
                    databaseFailures.log(error, logger: logger)
                }
                // Cancellation ends the loop.
                try? await Task.sleep(for: .seconds(60))
            }
        }
    }
}
#endif
