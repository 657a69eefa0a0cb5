#if Server
import NIOCore
import NIOPosix

/// Threads for what computes, so that whoever reads bodies or asks after the server's health is never behind it.
///
/// Swift's own threads are as many as processors: a few requests that take a second each would keep all others from being
/// read, and their clients would look slow. Of these there are as many once more, and the system shares the processors out.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
final class VerificationExecutor: TaskExecutor {
    /// Those of the process, which are never stopped.
    static let shared = VerificationExecutor(count: System.coreCount)

    private let pool: NIOThreadPool

    private init(count: Int) {
        pool = NIOThreadPool(numberOfThreads: count)
        pool.start()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // Whatever the pool says: somebody waits for what the job does.
        pool.submit { _ in unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Runs what computes on threads of its own; where the system is too old to choose them, on Swift's.
func onVerificationExecutor<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
    guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *) else { return try await body() }
    return try await withTaskExecutorPreference(VerificationExecutor.shared, operation: body)
}
#endif
