#if Server
import HTTPTypes
import NIOCore
import Testing

@testable import AppReceiptServer

@Suite("ConnectionStateMachine")
struct ConnectionStateMachineTests {
    @available(AppReceiptServer 1.0, *)
    private typealias Deadline = ConnectionStateMachine.Deadline

    @available(AppReceiptServer 1.0, *)
    private static func limits() -> ServerLimits {
        var limits = ServerLimits()
        limits.headTimeout = .seconds(10)
        limits.bodyTimeout = .seconds(20)
        limits.responseTimeout = .seconds(40)
        limits.shutdownTimeout = .seconds(15)
        limits.maxBodyBytes = 1000
        return limits
    }

    /// A number of seconds after the connection was opened.
    private func at(_ seconds: Int) -> NIODeadline { .uptimeNanoseconds(1_000_000_000) + .seconds(Int64(seconds)) }

    @available(AppReceiptServer 1.0, *)
    private func deadline(_ seconds: Int, _ phase: ConnectionPhase?) -> Deadline {
        Deadline(instant: at(seconds), phase: phase)
    }

    @available(AppReceiptServer 1.0, *)
    private func opened(isAdmitted: Bool = true) -> ConnectionStateMachine {
        var state = ConnectionStateMachine(limits: Self.limits())
        state.opened(isAdmitted: isAdmitted, at: at(0))
        return state
    }

    private func request(_ headers: HTTPFields = [:]) -> HTTPRequest {
        HTTPRequest(method: .post, scheme: nil, authority: "x", path: "/verifyReceipt", headerFields: headers)
    }

    private func response(_ headers: HTTPFields = [:]) -> HTTPResponse {
        HTTPResponse(status: .ok, headerFields: headers)
    }

    // MARK: Deadlines

    @available(AppReceiptServer 1.0, *)
    @Test("A head must be complete before its deadline, counted from the start of the connection")
    func head() {
        var state = opened()
        #expect(state.nextDeadline == deadline(10, .head))
        #expect(state.deadlineReached(at: at(9)) == .wait)
        #expect(state.deadlineReached(at: at(10)) == .close(.head))
        #expect(state.nextDeadline == nil)
        #expect(state.receivedHead(request(), at: at(11)) == .discard)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A body must be complete before its deadline, counted from the head, and parts don't extend it")
    func body() {
        var state = opened()
        #expect(state.receivedHead(request(), at: at(9)) == .forward)
        for second in 10..<29 {
            #expect(state.receivedBody() == .forward)
            #expect(state.deadlineReached(at: at(second)) == .wait)
            #expect(state.nextDeadline == deadline(29, .body))
        }
        #expect(state.deadlineReached(at: at(29)) == .close(.body))
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A response must be sent before its deadline, counted from the end of the request")
    func response() {
        var state = opened()
        _ = state.receivedHead(request(), at: at(1))
        #expect(state.receivedEnd(at: at(2)) == .forward)
        #expect(state.nextDeadline == deadline(42, .response))
        state.wroteHead(response())
        state.wroteEnd()
        #expect(state.nextDeadline == deadline(42, .response))
        #expect(state.deadlineReached(at: at(42)) == .close(.response))
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Requests that arrive in the meantime don't extend the deadline of a response")
    func laterRequests() {
        var state = opened()
        for second in 0..<5 {
            #expect(state.receivedHead(request(), at: at(second)) == .forward)
            #expect(state.receivedEnd(at: at(second)) == .forward)
            #expect(state.nextDeadline == deadline(40, .response))
        }
        // Each response that is sent starts the deadline of the next one.
        state.wroteEnd()
        #expect(state.responseSent(at: at(30)) == .continue)
        #expect(state.nextDeadline == deadline(70, .response))
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A body behind a request without a response has no deadline, because the server doesn't read it")
    func bodyBehindRequest() {
        var state = opened()
        _ = state.receivedHead(request(), at: at(0))
        _ = state.receivedEnd(at: at(0))
        _ = state.receivedHead(request(), at: at(1))
        #expect(state.nextDeadline == deadline(40, .response))
        state.wroteEnd()
        #expect(state.responseSent(at: at(35)) == .continue)
        #expect(state.nextDeadline == deadline(55, .body))
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Nothing is written after the last response of a connection")
    func nothingAfterLastResponse() {
        var state = opened()
        _ = state.receivedHead(request([.connection: "Close"]), at: at(0))
        _ = state.receivedEnd(at: at(0))
        #expect(state.wroteHead(response()) == .forward)
        #expect(state.wroteBody() == .forward)
        #expect(state.wroteEnd() == .forward)
        #expect(state.wroteHead(response()) == .discard)
        #expect(state.wroteBody() == .discard)
        #expect(state.wroteEnd() == .discard)
        #expect(state.responseSent(at: at(1)) == .closeOutput)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A client that is never late stays connected longer than any deadline")
    func keepAlive() {
        var state = opened()
        for start in stride(from: 9, to: 9000, by: 9) {
            #expect(state.deadlineReached(at: at(start)) == .wait)
            #expect(state.receivedHead(request(), at: at(start)) == .forward)
            #expect(state.receivedBody() == .forward)
            #expect(state.receivedEnd(at: at(start)) == .forward)
            state.wroteHead(response())
            state.wroteEnd()
            #expect(state.responseSent(at: at(start)) == .continue)
            #expect(state.nextDeadline == deadline(start + 10, .head))
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("After an early response, the rest of the body has a new deadline and the request needs no further response")
    func earlyResponse() {
        var state = opened()
        _ = state.receivedHead(request(), at: at(0))
        state.wroteHead(response())
        state.wroteEnd()
        #expect(state.nextDeadline == deadline(20, .body))
        #expect(state.responseSent(at: at(5)) == .continue)
        #expect(state.nextDeadline == deadline(25, .body))
        #expect(state.receivedBody() == .forward)
        #expect(state.receivedEnd(at: at(6)) == .forward)
        #expect(state.nextDeadline == deadline(16, .head))
        #expect(state.receivedHead(request(), at: at(7)) == .forward)
    }

    // MARK: The last request

    @available(AppReceiptServer 1.0, *)
    @Test(
        "A connection ends with the request that has the option close, in any case and among others",
        arguments: ["close", "Close", "close, TE", "keep-alive , CLOSE"])
    func requestCloses(value: String) {
        var state = opened()
        #expect(state.receivedHead(request([.connection: value]), at: at(0)) == .forward)
        #expect(state.receivedEnd(at: at(0)) == .forward)
        #expect(state.receivedHead(request(), at: at(0)) == .discard)
        #expect(state.receivedBody() == .discard)
        #expect(state.receivedEnd(at: at(0)) == .discard)
        state.wroteHead(response())
        state.wroteEnd()
        #expect(state.responseSent(at: at(1)) == .closeOutput)
        // The connection stays open so that the client gets the response, and the client isn't counted as slow.
        #expect(state.nextDeadline == deadline(3, nil))
        #expect(state.deadlineReached(at: at(3)) == .close(nil))
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Other connection options don't end the connection", arguments: ["keep-alive", "closed", "not-close", ""])
    func requestDoesNotClose(value: String) {
        var state = opened()
        _ = state.receivedHead(request([.connection: value]), at: at(0))
        _ = state.receivedEnd(at: at(0))
        state.wroteEnd()
        #expect(state.responseSent(at: at(1)) == .continue)
        #expect(state.receivedHead(request(), at: at(2)) == .forward)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A connection ends after the request that has the option close, not after one before it")
    func laterRequestCloses() {
        var state = opened()
        _ = state.receivedHead(request(), at: at(0))
        _ = state.receivedEnd(at: at(0))
        #expect(state.receivedHead(request([.connection: "close"]), at: at(0)) == .forward)
        state.wroteHead(response())
        state.wroteEnd()
        #expect(state.responseSent(at: at(1)) == .continue)
        #expect(state.receivedBody() == .forward)
        #expect(state.receivedEnd(at: at(2)) == .forward)
        state.wroteEnd()
        #expect(state.responseSent(at: at(3)) == .closeOutput)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("After a response with the option close, the rest of the request is discarded and nothing more is forwarded")
    func responseCloses() {
        var state = opened()
        _ = state.receivedHead(request(), at: at(0))
        state.wroteHead(response([.connection: "close"]))
        state.wroteEnd()
        #expect(state.responseSent(at: at(1)) == .continue)
        #expect(state.nextDeadline == deadline(21, .body))
        #expect(state.receivedBody() == .discard)
        #expect(state.receivedEnd(at: at(2)) == .closeOutput)
        #expect(state.nextDeadline == deadline(4, nil))
        #expect(state.receivedHead(request(), at: at(3)) == .discard)
        #expect(state.receivedEnd(at: at(3)) == .discard)
        #expect(state.nextDeadline == deadline(4, nil))
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A client that doesn't send the rest of a rejected body is disconnected")
    func responseClosesAndBodyIsLate() {
        var state = opened()
        _ = state.receivedHead(request(), at: at(0))
        state.wroteHead(response([.connection: "close"]))
        state.wroteEnd()
        _ = state.responseSent(at: at(1))
        #expect(state.deadlineReached(at: at(21)) == .close(.body))
    }

    // MARK: Expect: 100-continue

    private static let expects: HTTPFields = [.expect: "100-Continue", .contentLength: "1000"]

    @available(AppReceiptServer 1.0, *)
    @Test("A client that waits for 100 (Continue) gets it with its head")
    func sendContinue() {
        var state = opened()
        #expect(state.receivedHead(request(Self.expects), at: at(0)) == .sendContinueAndForward)
        #expect(state.receivedEnd(at: at(1)) == .forward)
        state.wroteEnd()
        #expect(state.responseSent(at: at(1)) == .continue)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("100 (Continue) is sent after the responses to earlier requests")
    func sendContinueAfterResponses() {
        var state = opened()
        for _ in 0..<2 {
            _ = state.receivedHead(request(), at: at(0))
            _ = state.receivedEnd(at: at(0))
        }
        #expect(state.receivedHead(request(Self.expects), at: at(0)) == .forward)
        state.wroteEnd()
        #expect(state.responseSent(at: at(1)) == .continue)
        state.wroteEnd()
        #expect(state.responseSent(at: at(2)) == .sendContinue)
        #expect(state.nextDeadline == deadline(22, .body))
        state.wroteEnd()
        #expect(state.responseSent(at: at(3)) == .continue)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("100 (Continue) is not sent once the client has sent the body, or after the last response")
    func doesNotSendContinue() {
        var sentBody = opened()
        var ended = opened()
        for index in 0..<2 {
            _ = sentBody.receivedHead(request(index == 0 ? [:] : Self.expects), at: at(0))
            _ = sentBody.receivedEnd(at: at(0))
        }
        sentBody.wroteEnd()
        #expect(sentBody.responseSent(at: at(1)) == .continue)
        _ = ended.receivedHead(request(), at: at(0))
        _ = ended.receivedEnd(at: at(0))
        _ = ended.receivedHead(request(Self.expects), at: at(0))
        ended.wroteHead(response([.connection: "close"]))
        ended.wroteEnd()
        #expect(ended.responseSent(at: at(1)) == .continue)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A body beyond the limit, and an unknown expectation, get no 100 (Continue)")
    func bodyBeyondLimit() {
        for headers in [
            [.expect: "100-continue", .contentLength: "1001"], [.expect: "something"], [.contentLength: "1"],
            [.expect: "100-continue", .contentLength: "99999999999999999999999"],
        ] as [HTTPFields] {
            var state = opened()
            #expect(state.receivedHead(request(headers), at: at(0)) == .forward)
        }
    }

    // MARK: Too many connections

    @available(AppReceiptServer 1.0, *)
    @Test("The first request on a connection beyond the limit is rejected, and nothing is forwarded")
    func rejects() {
        var state = opened(isAdmitted: false)
        #expect(state.nextDeadline == deadline(10, .head))
        #expect(state.receivedHead(request(), at: at(1)) == .reject(request()))
        #expect(state.receivedBody() == .discard)
        #expect(state.receivedEnd(at: at(1)) == .discard)
        #expect(state.receivedHead(request(), at: at(1)) == .discard)
        #expect(state.closeRequested(at: at(1)) == .close)
        // A client that sends nothing occupies its connection no longer than any other.
        #expect(state.deadlineReached(at: at(10)) == .close(.head))
    }

    // MARK: Closing

    @available(AppReceiptServer 1.0, *)
    @Test("A close waits until the responses that were written are sent")
    func closeWaits() {
        var state = opened()
        for _ in 0..<2 {
            _ = state.receivedHead(request(), at: at(0))
            _ = state.receivedEnd(at: at(0))
            state.wroteEnd()
        }
        #expect(state.closeRequested(at: at(5)) == .closeAfterResponses)
        #expect(state.nextDeadline == deadline(40, .response))
        #expect(state.receivedHead(request(), at: at(6)) == .discard)
        #expect(state.responseSent(at: at(30)) == .continue)
        #expect(state.nextDeadline == deadline(70, .response))
        #expect(state.closeRequested(at: at(31)) == .closeAfterResponses)
        #expect(state.responseSent(at: at(60)) == .close)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A close that waits for an early response has the deadline of a response")
    func closeWaitsForEarlyResponse() {
        var state = opened()
        _ = state.receivedHead(request(), at: at(0))
        state.wroteEnd()
        #expect(state.closeRequested(at: at(5)) == .closeAfterResponses)
        #expect(state.nextDeadline == deadline(45, .response))
        #expect(state.receivedEnd(at: at(6)) == .discard)
        #expect(state.responseSent(at: at(7)) == .close)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A close takes effect immediately if no response was written")
    func closeImmediately() {
        var idle = opened()
        #expect(idle.closeRequested(at: at(0)) == .close)
        var receiving = opened()
        _ = receiving.receivedHead(request(), at: at(0))
        #expect(receiving.closeRequested(at: at(0)) == .close)
        var ended = opened()
        _ = ended.receivedHead(request([.connection: "close"]), at: at(0))
        _ = ended.receivedEnd(at: at(0))
        ended.wroteEnd()
        #expect(ended.responseSent(at: at(0)) == .closeOutput)
        #expect(ended.closeRequested(at: at(0)) == .close)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A request in flight when the server shuts down is served, until the deadline of the shutdown")
    func shutdown() {
        var state = opened()
        _ = state.receivedHead(request(), at: at(0))
        state.shutdownStarted(at: at(2))
        state.shutdownStarted(at: at(12))
        #expect(state.nextDeadline == deadline(17, nil))
        #expect(state.receivedBody() == .forward)
        #expect(state.receivedEnd(at: at(3)) == .forward)
        state.wroteEnd()
        #expect(state.responseSent(at: at(4)) == .continue)
        #expect(state.nextDeadline == deadline(14, .head))
        #expect(state.receivedHead(request(), at: at(5)) == .forward)
        #expect(state.deadlineReached(at: at(17)) == .close(nil))
    }

    @available(AppReceiptServer 1.0, *)
    @Test("While the server shuts down, the response to the last request says that the connection closes")
    func responseWhileShuttingDown() {
        var state = opened()
        for _ in 0..<2 {
            _ = state.receivedHead(request(), at: at(0))
            _ = state.receivedEnd(at: at(0))
        }
        state.shutdownStarted(at: at(1))
        // Another request has arrived, and would get no response.
        #expect(state.wroteHead(response()) == .forward)
        state.wroteEnd()
        #expect(state.responseSent(at: at(2)) == .continue)
        #expect(state.wroteHead(response()) == .forwardAsLast)
        state.wroteEnd()
        #expect(state.responseSent(at: at(2)) == .closeOutput)
        #expect(state.receivedHead(request(), at: at(3)) == .discard)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A connection that isn't open has no deadline")
    func notOpen() {
        var state = ConnectionStateMachine(limits: Self.limits())
        state.shutdownStarted(at: at(0))
        #expect(state.nextDeadline == nil)
        #expect(state.receivedHead(request(), at: at(0)) == .discard)
        #expect(state.deadlineReached(at: at(100)) == .wait)
        state.opened(isAdmitted: true, at: at(0))
        state.closed()
        state.opened(isAdmitted: true, at: at(0))
        state.shutdownStarted(at: at(0))
        #expect(state.nextDeadline == nil)
        #expect(state.deadlineReached(at: at(100)) == .wait)
    }
}
#endif
