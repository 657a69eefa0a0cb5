#if Server
import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Closes connections whose clients exceed a deadline, and rejects connections beyond the limit with 503.
///
/// The rules are in ``ConnectionStateMachine``. This handler passes it what happens on the channel, performs its
/// actions, and keeps one timer for its next deadline. The event loop's clock is the only source of time.
@available(AppReceiptServer 1.0, *)
final class ConnectionDeadlineHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// The client of the connection.
    let client = ClientPresence()

    private let overloadResponse: @Sendable (_ path: String) -> OverloadResponse
    private let admission: Admission
    private let metrics: ServerMetrics

    private var state: ConnectionStateMachine
    /// The connection's place among those that are served; nil if it was rejected.
    private var reservation: Admission.Reservation?
    private var timer: (instant: NIODeadline, task: Scheduled<Void>)?
    /// The promise of a close that waits for responses.
    private var closePromise: EventLoopPromise<Void>?

    /// - Parameters:
    ///   - admission: Admits the connection. Its limits determine the deadlines.
    ///   - metrics: Counts exceeded deadlines.
    ///   - overloadResponse: Returns the response to a request with this path on a connection beyond the limit.
    init(
        admission: Admission, metrics: ServerMetrics,
        overloadResponse: @escaping @Sendable (_ path: String) -> OverloadResponse
    ) {
        self.overloadResponse = overloadResponse
        self.admission = admission
        self.metrics = metrics
        state = ConnectionStateMachine(limits: admission.limits)
    }

    // MARK: Connection

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { open(context) }
    }

    func handlerRemoved(context: ChannelHandlerContext) { closed() }

    func channelActive(context: ChannelHandlerContext) {
        open(context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        closed()
        context.fireChannelInactive()
    }

    private func open(_ context: ChannelHandlerContext) {
        guard timer == nil else { return }
        reservation = try? admission.reserveConnection()
        state.opened(isAdmitted: reservation != nil, at: context.eventLoop.now)
        updateTimer(context)
    }

    private func closed() {
        client.leave()
        state.closed()
        timer?.task.cancel()
        timer = nil
        reservation = nil
        closePromise?.succeed()
        closePromise = nil
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent {
            state.shutdownStarted(at: context.eventLoop.now)
            updateTimer(context)
        } else if case .inputClosed? = event as? ChannelEvent {
            client.leave()
        }
        context.fireUserInboundEventTriggered(event)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .all, state.closeRequested(at: context.eventLoop.now) == .closeAfterResponses else {
            return context.close(mode: mode, promise: promise)
        }
        if let closePromise {
            closePromise.futureResult.cascade(to: promise)
        } else {
            closePromise = promise
        }
        updateTimer(context)
    }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let now = context.eventLoop.now
        let action =
            switch unwrapInboundIn(data) {
            case .head(let request): state.receivedHead(request, at: now)
            case .body: state.receivedBody()
            case .end: state.receivedEnd(at: now)
            }
        updateTimer(context)
        switch action {
        case .forward:
            context.fireChannelRead(data)
        case .sendContinueAndForward:
            sendContinue(context)
            context.fireChannelRead(data)
        case .discard:
            break
        case .reject(let request):
            reject(request, in: context)
        case .closeOutput:
            context.close(mode: .output, promise: nil)
        }
    }

    private func sendContinue(_ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
    }

    private func reject(_ request: HTTPRequest, in context: ChannelHandlerContext) {
        let response = overloadResponse(request.path ?? "")
        var head = HTTPResponse(status: .serviceUnavailable, headerFields: response.headers)
        head.headerFields[.connection] = "close"
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if request.method != .head {
            context.write(wrapOutboundOut(.body(ByteBuffer(bytes: response.body))), promise: nil)
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil))).assumeIsolated().whenComplete { _ in
            context.close(promise: nil)
        }
    }

    // MARK: Responses

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let part = unwrapOutboundIn(data)
        var data = data
        let action =
            switch part {
            case .head(let response): state.wroteHead(response)
            case .body: state.wroteBody()
            case .end: state.wroteEnd()
            }
        switch (action, part) {
        case (.discard, _):
            promise?.fail(ChannelError.outputClosed)
            return
        case (.forwardAsLast, .head(var response)):
            response.headerFields[.connection] = "close"
            data = wrapOutboundOut(.head(response))
        case (.forwardAsLast, _), (.forward, _): break
        }
        switch part {
        case .head, .body:
            context.write(data, promise: promise)
        case .end:
            // A promise succeeds once the system has the bytes, which a client that doesn't read prevents.
            let sent = promise ?? context.eventLoop.makePromise()
            sent.futureResult.assumeIsolated().whenSuccess { self.responseSent(context) }
            context.write(data, promise: sent)
        }
    }

    private func responseSent(_ context: ChannelHandlerContext) {
        let action = state.responseSent(at: context.eventLoop.now)
        updateTimer(context)
        switch action {
        case .continue:
            break
        case .sendContinue:
            sendContinue(context)
        case .closeOutput:
            context.close(mode: .output, promise: nil)
        case .close:
            context.close(promise: closePromise)
            closePromise = nil
        }
    }

    // MARK: Timer

    /// Schedules the timer if it would fire after the next deadline. One that fires before is kept and scheduled again
    /// then, which is cheaper than two changes per request.
    private func updateTimer(_ context: ChannelHandlerContext) {
        guard let deadline = state.nextDeadline else { return }
        if let timer {
            guard timer.instant > deadline.instant else { return }
            timer.task.cancel()
        }
        let task = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline.instant) {
            self.timerFired(context)
        }
        timer = (deadline.instant, task)
    }

    private func timerFired(_ context: ChannelHandlerContext) {
        timer = nil
        switch state.deadlineReached(at: context.eventLoop.now) {
        case .wait:
            updateTimer(context)
        case .close(let phase):
            if let phase { metrics.countExceededDeadline(in: phase) }
            context.close(promise: nil)
        }
    }
}

@available(*, unavailable)
extension ConnectionDeadlineHandler: Sendable {}
#endif
