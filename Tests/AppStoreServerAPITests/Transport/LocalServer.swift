#if Server
import Foundation
import AppReceiptSupport
import NIOCore
import NIOPosix

/// A server on loopback that answers every request with bytes of the test, whatever they are.
final class LocalServer: Sendable {
    /// What follows the bytes of an answer.
    enum Continuation: Sendable {
        /// Nothing: the connection stays open.
        case none
        /// The connection is closed.
        case close
        /// A byte every few milliseconds, without end.
        case drip
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let server: LocalServer
        private var received = ""
        private var dripping: RepeatedTask?

        init(_ server: LocalServer) { self.server = server }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            received += String(buffer: unwrapInboundIn(data))
            guard server.headEnd.isEmpty || received.contains(server.headEnd), received.hasSuffix(server.requestEnd)
            else { return }
            server.received.withLock { $0.append(received) }
            server.arrival.yield()
            received = ""
            let channel = context.channel
            let written = channel.writeAndFlush(ByteBuffer(string: server.answer))
            switch server.continuation {
            case .none: break
            case .close: written.whenComplete { _ in channel.close(promise: nil) }
            case .drip:
                let pause = TimeAmount.milliseconds(5)
                dripping = context.eventLoop.scheduleRepeatedTask(initialDelay: pause, delay: pause) { _ in
                    channel.writeAndFlush(ByteBuffer(string: "x"), promise: nil)
                }
            }
        }

        func channelInactive(context: ChannelHandlerContext) { dripping?.cancel() }
    }

    private let answer: String
    private let continuation: Continuation
    private let headEnd: String
    private let requestEnd: String
    /// An element for each request.
    let arrivals: AsyncStream<Void>
    private let arrival: AsyncStream<Void>.Continuation
    private let received = LockedValueBox<[String]>([])

    private init(_ answer: String, _ continuation: Continuation, headEnd: String, requestEnd: String) {
        (arrivals, arrival) = AsyncStream.makeStream()
        self.headEnd = headEnd
        self.answer = answer
        self.continuation = continuation
        self.requestEnd = requestEnd
    }

    /// The requests so far.
    var requests: [String] { received.withLock { $0 } }

    /// Serves while `body` runs.
    ///
    /// - Parameters:
    ///   - answer: The bytes of an answer, from the status line on.
    ///   - continuation: What follows them.
    ///   - headEnd: What ends the head of a request; empty to answer the first bytes, whatever they are.
    ///   - requestEnd: How a request ends.
    ///   - body: Receives the server and its address.
    static func serve<Value>(
        _ answer: String, _ continuation: Continuation = .none, headEnd: String = "\r\n\r\n", requestEnd: String = "",
        _ body: (LocalServer, String) async throws -> Value
    ) async throws -> Value {
        let server = LocalServer(answer, continuation, headEnd: headEnd, requestEnd: requestEnd)
        let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Handler(server))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        do {
            let value = try await body(server, "http://127.0.0.1:\(channel.localAddress?.port ?? 0)")
            try await channel.close()
            return value
        } catch {
            try? await channel.close()
            throw error
        }
    }
}
#endif
