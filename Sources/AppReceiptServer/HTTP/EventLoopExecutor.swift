#if Server
import NIOCore

/// A task executor that runs jobs on an event loop, after the jobs that are already enqueued there.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
final class EventLoopExecutor: TaskExecutor {
    private let eventLoop: any EventLoop

    init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        eventLoop.execute { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
#endif
