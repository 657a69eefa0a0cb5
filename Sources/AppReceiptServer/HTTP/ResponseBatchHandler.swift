#if Server
import NIOCore
import NIOHTTPTypes

/// Defers flushes until the event loop has run the tasks that are already enqueued, so that responses are sent together.
///
/// Waking a waiting client takes longer than sending its response, especially in a virtual machine. If responses are flushed together,
/// the first one wakes the client, and it is still running when the others arrive.
final class ResponseBatchHandler: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private var isFlushScheduled = false

    func flush(context: ChannelHandlerContext) {
        guard !isFlushScheduled else { return }
        isFlushScheduled = true
        context.eventLoop.assumeIsolated().execute {
            // A close may have flushed in the meantime.
            guard self.isFlushScheduled else { return }
            self.isFlushScheduled = false
            context.flush()
        }
    }

    /// Flushes pending responses first, because a close discards them.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if isFlushScheduled {
            isFlushScheduled = false
            context.flush()
        }
        context.close(mode: mode, promise: promise)
    }
}

@available(*, unavailable)
extension ResponseBatchHandler: Sendable {}
#endif
