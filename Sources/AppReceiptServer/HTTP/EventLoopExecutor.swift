#if Server
import NIOCore

/// A task executor that runs jobs on an event loop, after those that the loop has already.
///
/// Two executors of one event loop are two stages: a task that changes from one to the other waits until the jobs before it have run. Several
/// requests that arrive together thus pass each stage in turn, without changing threads, and find its code and data in the processor's caches.
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
