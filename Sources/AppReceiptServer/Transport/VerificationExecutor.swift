#if Server
import NIOCore
import NIOPosix

/// A task executor for long or blocking work, with one thread for each available processor.
///
/// If such work ran on the event loops, a few requests that take a second each would delay reading all others, and
/// their clients would exceed deadlines. With separate threads, the operating system divides the processors between
/// this work and the event loops.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
final class VerificationExecutor: TaskExecutor {
    /// The executor of the process. Its threads run until the process ends.
    static let shared = VerificationExecutor(threads: ProcessorCount.available)

    private let pool: NIOThreadPool

    private init(threads: Int) {
        pool = NIOThreadPool(numberOfThreads: threads)
        pool.start()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // The job runs even if the pool reports that it is shutting down: a task waits for it.
        pool.submit { _ in unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Runs CPU-bound or blocking work on ``VerificationExecutor``. Systems without task executors run it on Swift's
/// default executor.
func onVerificationExecutor<Value: Sendable, Failure: Error>(
    _ body: () async throws(Failure) -> Value
) async throws(Failure) -> Value {
    guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *) else { return try await body() }
    return try await withTaskExecutorPreference(VerificationExecutor.shared, operation: body)
}
#endif
