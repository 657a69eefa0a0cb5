#if Server
import HTTPTypes
import NIOCore

/// The rules for an HTTP/1.1 connection: which requests are forwarded, when the connection closes, and which deadlines
/// the client has.
///
/// An idle timeout does not stop a client that sends a byte at a time. Each phase has its own deadline instead: the
/// head, counted from the start of the connection or the previous response; the body, counted from the head; and the
/// response, counted from the end of the request or the previous response. Requests that arrive in the meantime do not
/// extend the deadline of a response.
///
/// The state machine performs no I/O and has no clock: ``ConnectionDeadlineHandler`` passes events with their time, and
/// performs the actions that they return.
@available(AppReceiptServer 1.0, *)
struct ConnectionStateMachine: Sendable {
    /// The time at which the connection is closed unless something happens first.
    struct Deadline: Hashable, Sendable {
        let instant: NIODeadline
        /// The phase that took the client too long; nil if the connection ends for another reason.
        let phase: ConnectionPhase?
    }

    private enum State {
        /// Not connected yet.
        case initialized
        /// Requests are forwarded, up to the last one of the connection.
        case serving
        /// The connection exceeds the limit: its first request gets 503.
        case rejecting
        /// The last response was sent. The rest of its request is read and discarded: a proxy that can't send a whole
        /// request ignores the response.
        case draining
        /// The server closes the connection once the responses that were written are sent.
        case closing
        case closed
    }

    /// The part of a request that the client sends next.
    private enum Reading {
        case head
        case body(expectsContinue: Bool)
    }

    /// The time a connection stays half open after its last response. If it were closed immediately with unread data,
    /// the system would discard the response.
    static let lingering = TimeAmount.seconds(2)

    private let limits: ServerLimits
    private var state = State.initialized
    private var reading = Reading.head
    /// The number of heads received.
    private var received = 0
    /// The number of responses written to their end.
    private var written = 0
    /// The number of responses handed to the system.
    private var sent = 0
    /// The number of the connection's last request, counted from 1, if the request or its response has `Connection:
    /// close`.
    private var last: Int?
    private var readDeadline: Deadline?
    private var responseDeadline: Deadline?
    private var shutdownDeadline: Deadline?

    init(limits: ServerLimits) { self.limits = limits }

    /// The first deadline, or nil if the connection may stay as it is.
    var nextDeadline: Deadline? {
        [readDeadline, responseDeadline, shutdownDeadline].compactMap(\.self).min { $0.instant < $1.instant }
    }

    private var isReadingBody: Bool {
        if case .body = reading { true } else { false }
    }

    /// Whether a request that was received completely has no response yet. False if only the request that is being
    /// received has one.
    private var awaitsResponse: Bool { received - (isReadingBody ? 1 : 0) > sent }
}

// MARK: - Connection events

@available(AppReceiptServer 1.0, *)
extension ConnectionStateMachine {
    /// Begins to serve the connection, or to reject it.
    ///
    /// - Parameter isAdmitted: False if it exceeds the limit.
    mutating func opened(isAdmitted: Bool, at now: NIODeadline) {
        guard case .initialized = state else { return }
        state = isAdmitted ? .serving : .rejecting
        startReadDeadline(at: now)
    }

    /// Ends all deadlines, because the connection is closed.
    mutating func closed() {
        state = .closed
        (readDeadline, responseDeadline, shutdownDeadline) = (nil, nil, nil)
    }

    /// Starts the deadline of a server that shuts down.
    mutating func shutdownStarted(at now: NIODeadline) {
        guard shutdownDeadline == nil else { return }
        switch state {
        case .initialized, .closed: break
        case .serving, .rejecting, .draining, .closing:
            shutdownDeadline = Deadline(instant: now + TimeAmount(limits.shutdownTimeout), phase: nil)
        }
    }

    enum CloseAction: Hashable {
        case close
        /// Wait until ``responseSent(at:)`` returns `close`.
        case closeAfterResponses
    }

    /// Decides when a close by the server takes effect.
    ///
    /// Responses that were written are sent first, before their deadline.
    mutating func closeRequested(at now: NIODeadline) -> CloseAction {
        switch state {
        case .initialized, .rejecting, .closed: return .close
        case .serving, .draining, .closing: break
        }
        guard sent < written else { return .close }
        state = .closing
        readDeadline = nil
        if responseDeadline == nil { startResponseDeadline(at: now) }
        return .closeAfterResponses
    }

    enum DeadlineAction: Hashable {
        /// No deadline has passed.
        case wait
        /// Close the connection immediately, and count the phase that took too long.
        case close(ConnectionPhase?)
    }

    /// Closes the connection if a deadline has passed.
    mutating func deadlineReached(at now: NIODeadline) -> DeadlineAction {
        guard let deadline = nextDeadline, deadline.instant <= now else { return .wait }
        closed()
        return .close(deadline.phase)
    }
}

// MARK: - Requests

@available(AppReceiptServer 1.0, *)
extension ConnectionStateMachine {
    enum ReadAction: Hashable {
        case forward
        /// Send 100 (Continue), then forward the head.
        case sendContinueAndForward
        case discard
        /// Discard the part, send 503, and close the connection.
        case reject(HTTPRequest)
        /// Discard the part, and close the output.
        case closeOutput
    }

    /// Decides what happens to the head of a request.
    mutating func receivedHead(_ request: HTTPRequest, at now: NIODeadline) -> ReadAction {
        switch state {
        case .initialized, .draining, .closing, .closed: return .discard
        case .rejecting:
            // Nothing more is forwarded. The handler closes the connection once the response is sent.
            state = .draining
            return .reject(request)
        case .serving: break
        }
        if let last, received >= last { return .discard }
        received += 1
        if request.headerFields.closesConnection { last = received }
        // A body beyond the limit isn't requested: the response rejects it.
        let length = request.headerFields.announcedLength ?? 0
        reading = .body(expectsContinue: request.headerFields.expectsContinue && length <= limits.maxBodyBytes)
        startReadDeadline(at: now)
        return takeContinue() ? .sendContinueAndForward : .forward
    }

    /// Decides what happens to a part of a body.
    mutating func receivedBody() -> ReadAction {
        guard case .serving = state, isReadingBody else { return .discard }
        return .forward
    }

    /// Decides what happens to the end of a request.
    mutating func receivedEnd(at now: NIODeadline) -> ReadAction {
        guard isReadingBody else { return .discard }
        switch state {
        case .initialized, .rejecting, .closing, .closed: return .discard
        case .draining:
            reading = .head
            startReadDeadline(at: now)
            return .closeOutput
        case .serving:
            let awaitedResponse = awaitsResponse
            reading = .head
            if awaitsResponse, !awaitedResponse { startResponseDeadline(at: now) }
            startReadDeadline(at: now)
            return .forward
        }
    }

    /// Returns whether to send 100 (Continue) now, at most once per request. Responses are sent in order, so it has to
    /// wait for those to earlier requests.
    private mutating func takeContinue() -> Bool {
        guard case .body(expectsContinue: true) = reading, !awaitsResponse else { return false }
        reading = .body(expectsContinue: false)
        return true
    }
}

// MARK: - Responses

@available(AppReceiptServer 1.0, *)
extension ConnectionStateMachine {
    /// The treatment of a part of a response.
    enum WriteAction: Hashable {
        case forward
        /// Forward the head with `Connection: close` (RFC 9112, 9.6).
        case forwardAsLast
        /// Discard the part, because the connection's last response was already written.
        case discard
    }

    /// Whether the connection's last response was written completely. Without this check, malformed data after the last
    /// request would be answered with 400.
    private var isLastResponseWritten: Bool { last.map { written >= $0 } ?? false }

    /// Decides what happens to the head of a response, and notes whether the response ends the connection.
    ///
    /// While the server shuts down, the response to the last received request closes the connection, so that the client
    /// doesn't send another one to it.
    @discardableResult
    mutating func wroteHead(_ response: HTTPResponse) -> WriteAction {
        if isLastResponseWritten { return .discard }
        let closes = response.headerFields.closesConnection
        let becomesLast = !closes && shutdownDeadline != nil && received == written + 1
        if closes || becomesLast { last = min(last ?? .max, written + 1) }
        return becomesLast ? .forwardAsLast : .forward
    }

    /// Decides what happens to a part of a response's body.
    func wroteBody() -> WriteAction { isLastResponseWritten ? .discard : .forward }

    /// Counts a response that is written to its end, but not sent yet.
    @discardableResult
    mutating func wroteEnd() -> WriteAction {
        if isLastResponseWritten { return .discard }
        written += 1
        return .forward
    }

    enum SentAction: Hashable {
        /// Keep serving the connection, or wait for its next event.
        case `continue`
        case sendContinue
        case closeOutput
        case close
    }

    /// Counts a response that was handed to the system, and decides what follows.
    mutating func responseSent(at now: NIODeadline) -> SentAction {
        sent += 1
        switch state {
        case .initialized, .rejecting, .draining, .closed: return .continue
        case .closing:
            startResponseDeadline(at: now)
            return sent < written ? .continue : .close
        case .serving: break
        }
        if let last, sent >= last {
            state = .draining
            responseDeadline = nil
            startReadDeadline(at: now)
            return isReadingBody ? .continue : .closeOutput
        }
        if awaitsResponse { startResponseDeadline(at: now) } else { responseDeadline = nil }
        startReadDeadline(at: now)
        return takeContinue() ? .sendContinue : .continue
    }
}

// MARK: - Deadlines

@available(AppReceiptServer 1.0, *)
extension ConnectionStateMachine {
    private mutating func startResponseDeadline(at now: NIODeadline) {
        responseDeadline = Deadline(instant: now + TimeAmount(limits.responseTimeout), phase: .response)
    }

    /// Starts the deadline of what the client sends next. There is none while the server reads nothing because an
    /// earlier request has no response yet.
    private mutating func startReadDeadline(at now: NIODeadline) {
        switch (state, reading) {
        case (.draining, .head): readDeadline = Deadline(instant: now + Self.lingering, phase: nil)
        case (.draining, .body): readDeadline = bodyDeadline(from: now)
        case (_, .head): readDeadline = awaitsResponse ? nil : headDeadline(from: now)
        case (_, .body): readDeadline = awaitsResponse ? nil : bodyDeadline(from: now)
        }
    }

    private func headDeadline(from now: NIODeadline) -> Deadline {
        Deadline(instant: now + TimeAmount(limits.headTimeout), phase: .head)
    }

    private func bodyDeadline(from now: NIODeadline) -> Deadline {
        Deadline(instant: now + TimeAmount(limits.bodyTimeout), phase: .body)
    }
}
#endif
