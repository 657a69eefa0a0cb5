#if Server
import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Cuts off clients that are slow, and tells those that are too many.
///
/// A timer that starts anew with every byte is no defence against a client that sends one byte now and then. So each part
/// of a request has a time by which it must be whole: its head, counted from the connection's beginning or the last answer;
/// its body, counted from the head; and the answer, which the client must have taken by then.
@available(AppReceiptServer 1.0, *)
final class ConnectionDeadlines: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let limits: ServerLimits
    private let admission: Admission
    private let metrics: ServerMetrics

    private var timer: Scheduled<Void>?
    /// Of the oldest answer that has not left. Requests that come meanwhile do not put it off.
    private var answerTimer: Scheduled<Void>?
    private var isCounted = false
    private var isTooMany = false
    private var isReceiving = false
    private var unanswered = 0
    /// Whether the request that is being received has its answer already, as one whose body is too large.
    private var isAnsweredEarly = false
    /// The request that is being received, if its client waits to be told to send the body.
    private var awaitsGoAhead: HTTPRequest?
    /// Requests that have come, answers that were written to their ends, and answers that have left.
    private var (received, written, left) = (0, 0, 0)
    /// The number of the last request on this connection, counted from 1, because it or its answer says so.
    private var last: Int?
    /// Whether the last answer was given; what comes after is not looked at.
    private var isOver = false
    /// Who wants the connection closed once the answers that were written have left.
    private var closing: (isAsked: Bool, promise: EventLoopPromise<Void>?) = (false, nil)
    private var stopTimer: Scheduled<Void>?

    /// How long a connection stays half open after its last answer, in seconds. Closed at once, with something unread, the
    /// system would take the answer back.
    private static let lingering = 2

    init(limits: ServerLimits, admission: Admission, metrics: ServerMetrics) {
        self.limits = limits
        self.admission = admission
        self.metrics = metrics
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { begin(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        begin(context)
        context.fireChannelActive()
    }

    private func begin(_ context: ChannelHandlerContext) {
        guard !isCounted else { return }
        isCounted = true
        isTooMany = !admission.connect()
        restart(context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    private func end() {
        timer?.cancel()
        timer = nil
        answerTimer?.cancel()
        answerTimer = nil
        stopTimer?.cancel()
        stopTimer = nil
        closing.promise?.succeed()
        closing.promise = nil
        guard isCounted else { return }
        isCounted = false
        admission.disconnect()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isOver {
            // What is left of a body that was refused is read and forgotten: proxies that cannot send it all take the
            // answer for lost.
            if isReceiving, case .end = unwrapInboundIn(data) {
                isReceiving = false
                if !closing.isAsked { finish(context) }
            }
            return
        }
        if isTooMany { return refuse(context, unwrapInboundIn(data)) }
        // What comes after the last request is not answered.
        if let last, received >= last, !isReceiving { return }
        switch unwrapInboundIn(data) {
        case .head(let request):
            received += 1
            isReceiving = true
            if Self.saysClose(request.headerFields) { last = received }
            restart(context)
            awaitsGoAhead = request
            goAhead(context)
        case .body:
            break
        case .end:
            isReceiving = false
            awaitsGoAhead = nil
            if !isAnsweredEarly {
                unanswered += 1
                if unanswered == 1 { awaitAnswer(context) }
            }
            isAnsweredEarly = false
            restart(context)
        }
        context.fireChannelRead(data)
    }

    /// Answers a request on a connection that is one too many, without looking at more than its head.
    private func refuse(_ context: ChannelHandlerContext, _ part: HTTPRequestPart) {
        guard case .head(let request) = part else { return }
        let refusal = Overload(path: request.path ?? "", limits: limits)
        var head = HTTPResponse(status: .serviceUnavailable)
        head.headerFields = refusal.headers
        head.headerFields[.connection] = "close"
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if request.method != .head {
            context.write(wrapOutboundOut(.body(ByteBuffer(bytes: refusal.body))), promise: nil)
        }
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in bound.value.close(promise: nil) }
    }

    /// Tells clients that ask first to send the body: curl, and what is built on it, else waits a second before it does.
    /// One that would be too large is left to the answer that refuses it.
    private func goAhead(_ context: ChannelHandlerContext) {
        // Answers leave in order: between those of others it would be taken for one of them.
        guard let request = awaitsGoAhead, unanswered == 0 else { return }
        awaitsGoAhead = nil
        guard request.headerFields[.expect]?.lowercased() == "100-continue" else { return }
        guard (request.headerFields.announcedLength ?? 0) <= limits.bodyBytes else { return }
        context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let response):
            if Self.saysClose(response.headerFields) { last = min(last ?? .max, written + 1) }
            return context.write(data, promise: promise)
        case .body:
            return context.write(data, promise: promise)
        case .end:
            break
        }
        written += 1
        // Written is not taken: the promise is kept once the bytes are with the system.
        let taken = promise ?? context.eventLoop.makePromise()
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        taken.futureResult.whenSuccess { bound.value.handler.answered(bound.value.context) }
        context.write(data, promise: taken)
    }

    private func answered(_ context: ChannelHandlerContext) {
        left += 1
        if unanswered > 0 {
            unanswered -= 1
            awaitAnswer(context)
        } else {
            isAnsweredEarly = isReceiving
        }
        if closing.isAsked, left == written {
            context.close(promise: closing.promise)
            closing.promise = nil
            return
        }
        if let last, left >= last, !isOver {
            isOver = true
            if !isReceiving { return finish(context) }
        }
        restart(context)
        goAhead(context)
    }

    /// Closes once the answers that were written have left: who closes behind an answer, as a server does that stops,
    /// means the client to have it. The time for the answer bounds how long that takes.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .all, left < written, isCounted else { return context.close(mode: mode, promise: promise) }
        isOver = true
        if closing.isAsked, let first = closing.promise {
            first.futureResult.cascade(to: promise)
        } else {
            closing = (true, promise)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent, stopTimer == nil, isCounted {
            stopTimer = cutOff(context, after: limits.shutdownSeconds, nil)
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// Says that nothing more comes, and closes a little later.
    private func finish(_ context: ChannelHandlerContext) {
        context.close(mode: .output, promise: nil)
        restart(context)
    }

    /// Whether a connection is to be closed: one of the tokens, in any case (RFC 9110, 7.6.1).
    private static func saysClose(_ headers: HTTPFields) -> Bool {
        headers[.connection]?.lowercased().split(separator: ",")
            .contains { $0.filter { $0 != " " && $0 != "\t" } == "close" } ?? false
    }

    /// Gives the oldest answer that has not left its time, if there is one.
    private func awaitAnswer(_ context: ChannelHandlerContext) {
        answerTimer?.cancel()
        answerTimer = isCounted && unanswered > 0 ? cutOff(context, after: limits.answerSeconds, .answer) : nil
    }

    /// Gives what is read next its time: the rest of a body, or a head.
    private func restart(_ context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
        guard isCounted else { return }
        if isReceiving {
            // Behind a request that is not answered yet nothing is read: that is not the client's doing.
            if unanswered == 0 || isOver { timer = cutOff(context, after: limits.bodySeconds, .body) }
        } else if isOver {
            timer = cutOff(context, after: Self.lingering, nil)
        } else if unanswered == 0 {
            timer = cutOff(context, after: limits.idleSeconds, .head)
        }
    }

    private func cutOff(
        _ context: ChannelHandlerContext, after seconds: Int, _ phase: ServerMetrics.Phase?
    ) -> Scheduled<Void> {
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        return context.eventLoop.scheduleTask(in: .seconds(Int64(seconds))) {
            if let phase { bound.value.handler.metrics.cutOff(phase) }
            bound.value.context.close(promise: nil)
        }
    }
}

@available(*, unavailable)
extension ConnectionDeadlines: Sendable {}
#endif
