#if Server
import NIOCore

/// Sends responses once the event loop has handled the requests that arrived together.
///
/// A client that waits for a response has to be woken, which takes longer than sending the response, in a virtual machine many times as
/// long. If responses are sent together, the first one wakes the client, and it is still awake for the others.
final class ResponseBatchHandler: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = NIOAny
    typealias OutboundOut = NIOAny

    private var isFlushing = false

    func flush(context: ChannelHandlerContext) {
        guard !isFlushing else { return }
        isFlushing = true
        context.eventLoop.assumeIsolated().execute {
            self.isFlushing = false
            context.flush()
        }
    }

    /// Flushes before a close, which would discard what is pending.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if isFlushing { context.flush() }
        context.close(mode: mode, promise: promise)
    }
}

@available(*, unavailable)
extension ResponseBatchHandler: Sendable {}
#endif
