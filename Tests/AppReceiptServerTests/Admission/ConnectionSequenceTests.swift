#if Server
import HTTPTypes
import NIOCore
import Testing

@testable import AppReceiptServer

/// Every sequence of events up to a length, with the invariants after each event.
@Suite("Sequences of connection events")
struct ConnectionSequenceTests {
    private enum Event: CaseIterable {
        case head, closingHead, expectingHead, body, end
        case response, closingResponse, sent
        case closeRequested, shutdown
    }

    /// The state machine, and the observable state of the connection.
    @available(AppReceiptServer 1.0, *)
    private struct Connection {
        var state: ConnectionStateMachine
        var now = NIODeadline.uptimeNanoseconds(0)
        var isClientInBody = false
        /// Whether the forwarded parts end within a request.
        var isForwardingBody = false
        var forwarded = 0
        var written = 0
        var sent = 0
        /// Whether a forwarded request or a written response has the option close.
        var hasLast = false
        var isOutputClosed = false
        /// The number of the last response, counted from 1.
        var last = Int.max
        var isClosed = false
        var isShuttingDown = false
    }

    private static let maxLength = 7

    @available(AppReceiptServer 1.0, *)
    @Test("Every sequence of events preserves the deadlines and the order of requests")
    func sequences() {
        var state = ConnectionStateMachine(limits: ServerLimits())
        state.opened(isAdmitted: true, at: .uptimeNanoseconds(0))
        var count = 0
        explore(Connection(state: state), [], &count)
        #expect(count > 10_000)
    }

    @available(AppReceiptServer 1.0, *)
    private func explore(_ connection: Connection, _ events: [Event], _ count: inout Int) {
        count += 1
        guard events.count < Self.maxLength else { return }
        for event in Event.allCases where Self.isPossible(event, connection) {
            var next = connection
            next.now = connection.now + .seconds(1)
            let path = events + [event]
            if let violation = Self.apply(event, to: &next) {
                Issue.record("\(violation): \(path)")
                return
            }
            if !next.isClosed { explore(next, path, &count) }
        }
    }

    /// Whether HTTP and the server's own handlers allow the event.
    @available(AppReceiptServer 1.0, *)
    private static func isPossible(_ event: Event, _ connection: Connection) -> Bool {
        switch event {
        case .head, .closingHead, .expectingHead: !connection.isClientInBody
        case .body, .end: connection.isClientInBody
        case .response, .closingResponse: connection.written < connection.forwarded && !connection.isOutputClosed
        case .sent: connection.sent < connection.written
        case .closeRequested, .shutdown: true
        }
    }

    /// - Returns: The rule that the state machine violates.
    @available(AppReceiptServer 1.0, *)
    private static func apply(_ event: Event, to connection: inout Connection) -> String? {
        let now = connection.now
        switch event {
        case .head, .closingHead, .expectingHead:
            connection.isClientInBody = true
            var headers = HTTPFields()
            if event == .closingHead { headers[.connection] = "close" }
            if event == .expectingHead { headers[.expect] = "100-continue" }
            let request = HTTPRequest(
                method: .post, scheme: nil, authority: "x", path: "/", headerFields: headers)
            let action = connection.state.receivedHead(request, at: now)
            guard action == .forward || action == .sendContinueAndForward else {
                return action == .discard ? nil : "A head has another action"
            }
            if action == .sendContinueAndForward, event != .expectingHead { return "100 isn't expected" }
            if action == .sendContinueAndForward, connection.sent < connection.forwarded { return "100 is too early" }
            if connection.isForwardingBody { return "A head is forwarded within a request" }
            if connection.hasLast, event != .closingHead, connection.sent == connection.forwarded {
                return "A head is forwarded after the last request"
            }
            connection.isForwardingBody = true
            connection.forwarded += 1
            if event == .closingHead {
                connection.hasLast = true
                connection.last = min(connection.last, connection.forwarded)
            }
            if connection.isOutputClosed { return "A head is forwarded after the last response" }
        case .body:
            let action = connection.state.receivedBody()
            if action == .forward, !connection.isForwardingBody { return "A body is forwarded without a head" }
            if action != .forward, action != .discard { return "A body has another action" }
        case .end:
            connection.isClientInBody = false
            switch connection.state.receivedEnd(at: now) {
            case .forward:
                if !connection.isForwardingBody { return "An end is forwarded without a head" }
                connection.isForwardingBody = false
            case .discard: break
            case .closeOutput:
                if connection.isOutputClosed { return "The output is closed twice" }
                connection.isOutputClosed = true
            case .sendContinueAndForward, .reject: return "An end has another action"
            }
        case .response, .closingResponse:
            var headers = HTTPFields()
            if event == .closingResponse { headers[.connection] = "close" }
            let action = connection.state.wroteHead(HTTPResponse(status: .ok, headerFields: headers))
            let becomesLast =
                event == .response && connection.isShuttingDown && connection.written + 1 == connection.forwarded
            if action != .discard, (action == .forwardAsLast) != becomesLast { return "Another response is the last" }
            guard connection.state.wroteEnd() == (action == .forwardAsLast ? .forward : action) else {
                return "A part of a response is discarded"
            }
            if connection.written >= connection.last {
                return action == .discard ? nil : "A response is written after the last one"
            }
            if action == .discard { return "A response is discarded" }
            connection.written += 1
            if event == .closingResponse || becomesLast {
                connection.hasLast = true
                connection.last = connection.written
            }
        case .sent:
            connection.sent += 1
            switch connection.state.responseSent(at: now) {
            case .continue: break
            case .sendContinue:
                if connection.sent < connection.forwarded - 1 { return "100 is sent before an earlier response" }
                if !connection.isForwardingBody { return "100 is sent after the body" }
            case .closeOutput:
                if connection.isOutputClosed { return "The output is closed twice" }
                connection.isOutputClosed = true
            case .close:
                if connection.sent < connection.written { return "The connection is closed before a response is sent" }
                connection.isClosed = true
            }
        case .closeRequested:
            switch connection.state.closeRequested(at: now) {
            case .close:
                if connection.sent < connection.written { return "The connection is closed before a response is sent" }
                connection.isClosed = true
            case .closeAfterResponses:
                if connection.sent == connection.written { return "A close waits for nothing" }
            }
        case .shutdown:
            connection.isShuttingDown = true
            connection.state.shutdownStarted(at: now)
        }
        if !connection.isClosed, connection.state.nextDeadline == nil { return "There is no deadline" }
        return nil
    }
}
#endif
