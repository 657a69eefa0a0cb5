#if Server
import AppReceiptKit
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import AppReceiptServer

/// The handler in a channel whose clock the tests advance.
@Suite("ConnectionDeadlineHandler")
struct ConnectionDeadlineHandlerTests {
    /// Records what the handler sends and how it closes the channel.
    private final class Recorder: ChannelOutboundHandler {
        typealias OutboundIn = HTTPResponsePart
        typealias OutboundOut = HTTPResponsePart
        var closeModes: [CloseMode] = []

        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            closeModes.append(mode)
            // An embedded channel doesn't support half-closed connections.
            if mode == .all { context.close(mode: mode, promise: promise) } else { promise?.succeed() }
        }
    }

    @available(AppReceiptServer 1.0, *)
    private struct Server {
        let registry = PrometheusRegistry()
        let admission: Admission
        let metrics: ServerMetrics

        init(connections: Int = 10) {
            var limits = ServerLimits()
            limits.maxConnections = connections
            limits.headTimeout = .seconds(10)
            limits.bodyTimeout = .seconds(20)
            limits.responseTimeout = .seconds(40)
            limits.shutdownTimeout = .seconds(15)
            metrics = ServerMetrics(registry)
            admission = Admission(limits: limits, metrics: metrics)
        }

        func connect() throws -> Client {
            let recorder = Recorder()
            let channel = EmbeddedChannel(
                handlers: [
                    recorder,
                    ConnectionDeadlineHandler(admission: admission, metrics: metrics) {
                        OverloadResponse(body: Array($0.utf8), retryAfter: .seconds(1))
                    },
                ])
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
            return Client(channel: channel, recorder: recorder)
        }

        func has(_ line: String) -> Bool { registry.text().contains(line + "\n") }
    }

    private struct Client {
        let channel: EmbeddedChannel
        let recorder: Recorder

        var isClosed: Bool { !channel.isActive }

        func advance(_ seconds: Int64) { channel.embeddedEventLoop.advanceTime(by: .seconds(seconds)) }

        func send(head headers: HTTPFields = [:], method: HTTPRequest.Method = .post) throws {
            let head = HTTPRequest(
                method: method, scheme: nil, authority: "x", path: "/verifyReceipt", headerFields: headers)
            try channel.writeInbound(HTTPRequestPart.head(head))
        }

        func sendBody() throws { try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: "x"))) }

        func sendEnd() throws { try channel.writeInbound(HTTPRequestPart.end(nil)) }

        /// Writes a response, which isn't sent while the client doesn't read.
        func write(_ headers: HTTPFields = [:]) {
            channel.write(HTTPResponsePart.head(HTTPResponse(status: .ok, headerFields: headers)), promise: nil)
            channel.write(HTTPResponsePart.body(ByteBuffer(string: "{}")), promise: nil)
            channel.write(HTTPResponsePart.end(nil), promise: nil)
        }

        func respond(_ headers: HTTPFields = [:]) {
            write(headers)
            channel.flush()
        }

        /// The parts that were forwarded to the server's routes.
        func forwarded() throws -> [HTTPRequestPart] {
            var parts: [HTTPRequestPart] = []
            while let part = try channel.readInbound(as: HTTPRequestPart.self) { parts.append(part) }
            return parts
        }

        /// The parts that were sent to the client.
        func sent() throws -> [HTTPResponsePart] {
            var parts: [HTTPResponsePart] = []
            while let part = try channel.readOutbound(as: HTTPResponsePart.self) { parts.append(part) }
            return parts
        }

        func sentStatuses() throws -> [Int] {
            try sent().compactMap { part in
                if case .head(let head) = part { head.status.code } else { nil }
            }
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A client is gone once it closes its side of the connection, or all of it", arguments: [true, false])
    func presence(isHalfClosed: Bool) throws {
        let server = Server()
        let client = try server.connect()
        let presence = try client.channel.pipeline.syncOperations.handler(type: ConnectionDeadlineHandler.self).client
        try client.send()
        try client.sendEnd()
        #expect(!presence.isGone)
        if isHalfClosed {
            client.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            #expect(!client.isClosed)
        } else {
            try client.channel.close().wait()
        }
        #expect(presence.isGone)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A client that sends no head is disconnected, and its connection released")
    func head() throws {
        let server = Server()
        let client = try server.connect()
        #expect(server.has("appreceipt_connections 1"))
        client.advance(9)
        #expect(!client.isClosed)
        client.advance(1)
        #expect(client.isClosed)
        #expect(server.has(#"appreceipt_exceeded_deadlines_total{phase="head"} 1"#))
        #expect(server.has("appreceipt_connections 0"))
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A client that sends a body part each second is disconnected at the deadline of the body")
    func body() throws {
        let server = Server()
        let client = try server.connect()
        try client.send()
        for _ in 0..<19 {
            client.advance(1)
            try client.sendBody()
        }
        #expect(!client.isClosed)
        client.advance(1)
        #expect(client.isClosed)
        #expect(server.has(#"appreceipt_exceeded_deadlines_total{phase="body"} 1"#))
        #expect(server.has(#"appreceipt_exceeded_deadlines_total{phase="head"} 0"#))
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A client that doesn't read its response is disconnected even if it keeps sending")
    func responseNotRead() throws {
        let server = Server()
        let client = try server.connect()
        try client.send()
        try client.sendEnd()
        client.write()
        for _ in 0..<39 {
            client.advance(1)
            try client.send()
            try client.sendEnd()
        }
        #expect(!client.isClosed)
        client.advance(1)
        #expect(client.isClosed)
        #expect(server.has(#"appreceipt_exceeded_deadlines_total{phase="response"} 1"#))
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A client that is never late stays connected, and its requests are forwarded whole")
    func keepAlive() throws {
        let server = Server()
        let client = try server.connect()
        for _ in 0..<100 {
            client.advance(9)
            try client.send()
            client.advance(19)
            try client.sendBody()
            try client.sendEnd()
            client.advance(39)
            client.respond()
            #expect(try client.forwarded().count == 3)
            #expect(try client.sentStatuses() == [200])
        }
        #expect(!client.isClosed)
        for phase in ConnectionPhase.allCases {
            #expect(server.has(#"appreceipt_exceeded_deadlines_total{phase="\#(phase.rawValue)"} 0"#))
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A connection beyond the limit gets 503 and is closed, while others are served")
    func tooManyConnections() throws {
        let server = Server(connections: 2)
        let served = try [server.connect(), server.connect()]
        for method in [HTTPRequest.Method.post, .head] {
            let rejected = try server.connect()
            try rejected.send(method: method)
            #expect(rejected.isClosed)
            #expect(try rejected.forwarded().isEmpty)
            let parts = try rejected.sent()
            let body = Array("/verifyReceipt".utf8)
            guard case .head(let head) = parts.first, case .end = parts.last else {
                Issue.record("Incomplete response")
                continue
            }
            #expect(head.status == .serviceUnavailable)
            #expect(head.headerFields[.connection] == "close")
            #expect(head.headerFields[.retryAfter] == "1")
            #expect(head.headerFields[.contentLength] == "\(body.count)")
            #expect(parts.dropFirst().dropLast() == (method == .head ? [] : [.body(ByteBuffer(bytes: body))]))
        }
        #expect(server.has(#"appreceipt_overload_total{reason="connections"} 2"#))
        try served[0].send()
        #expect(try served[0].forwarded().count == 1)
        // A connection that ends frees a slot.
        try served[1].channel.close().wait()
        let next = try server.connect()
        try next.send()
        #expect(try next.forwarded().count == 1)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Pipelined requests are all forwarded, in their order")
    func pipelining() throws {
        let server = Server()
        let client = try server.connect()
        for _ in 0..<3 {
            try client.send()
            try client.sendEnd()
        }
        #expect(try client.forwarded().count == 6)
        for _ in 0..<3 { client.respond() }
        #expect(try client.sentStatuses() == [200, 200, 200])
        #expect(!client.isClosed)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("100 (Continue) is sent after the responses to earlier requests")
    func sendContinue() throws {
        let server = Server()
        let client = try server.connect()
        try client.send(head: [.expect: "100-continue"])
        #expect(try client.sentStatuses() == [100])
        try client.sendEnd()
        try client.send(head: [.expect: "100-continue"])
        #expect(try client.sentStatuses() == [])
        client.respond()
        #expect(try client.sentStatuses() == [200, 100])
    }

    @available(AppReceiptServer 1.0, *)
    @Test("After the last response the output is closed, and the connection a little later")
    func lastResponse() throws {
        let server = Server()
        let client = try server.connect()
        try client.send()
        client.respond([.connection: "close"])
        #expect(client.recorder.closeModes.isEmpty)
        _ = try client.forwarded()
        try client.sendBody()
        try client.sendEnd()
        try client.send()
        #expect(try client.forwarded().isEmpty)
        #expect(client.recorder.closeModes == [.output])
        #expect(!client.isClosed)
        client.advance(2)
        #expect(client.isClosed)
        #expect(server.has(#"appreceipt_exceeded_deadlines_total{phase="head"} 0"#))
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A close waits for the response that is being sent, and completes every promise")
    func closeWaits() throws {
        let server = Server()
        let client = try server.connect()
        try client.send()
        try client.sendEnd()
        client.write()
        let closes = [client.channel.close(), client.channel.close()]
        #expect(!client.isClosed)
        client.channel.flush()
        #expect(client.isClosed)
        for close in closes { try close.wait() }
        #expect(try client.sentStatuses() == [200])
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A request in flight is served when the server shuts down, and a connection that never ends is closed")
    func shutdown() throws {
        let server = Server()
        let clients = try [server.connect(), server.connect()]
        for client in clients {
            try client.send()
            client.channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
            client.advance(5)
        }
        try clients[0].sendEnd()
        clients[0].respond()
        #expect(try clients[0].sentStatuses() == [200])
        clients[1].advance(10)
        #expect(clients[1].isClosed)
        #expect(server.has(#"appreceipt_exceeded_deadlines_total{phase="body"} 0"#))
    }
}
#endif
