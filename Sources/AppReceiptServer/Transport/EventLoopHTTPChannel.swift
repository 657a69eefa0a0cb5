#if Server
import HummingbirdCore
import Logging
import NIOCore

/// An HTTP/1.1 channel whose requests are handled on its event loop, which avoids two thread switches for each request:
/// budget, verifyReceipt.
///
/// Systems without task executors handle them on Swift's default executor.
@available(AppReceiptServer 1.0, *)
struct EventLoopHTTPChannel: ServerChildChannel {
    let channel: HTTP1Channel
    /// Returns the client of a connection that was set up. Called on its event loop.
    let client: @Sendable (any Channel) throws -> ClientPresence

    /// A connection and its client.
    struct ServedConnection: ServerChildChannelValue {
        let connection: HTTP1Channel.Value
        let client: ClientPresence

        var channel: any Channel { connection.channel }
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<ServedConnection> {
        self.channel.setup(channel: channel, logger: logger).flatMapThrowing { [client] connection in
            ServedConnection(connection: connection, client: try client(channel))
        }
    }

    func handle(value: ServedConnection, logger: Logger) async {
        await ClientPresence.$current.withValue(value.client) {
            guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *) else {
                return await channel.handle(value: value.connection, logger: logger)
            }
            await withTaskExecutorPreference(EventLoopExecutor(value.channel.eventLoop)) {
                await channel.handle(value: value.connection, logger: logger)
            }
        }
    }
}

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
