#if Server
import NIOCore
import NIOEmbedded
import Testing

@testable import AppReceiptServer

@Suite("ResponseBatchHandler")
struct ResponseBatchHandlerTests {
    /// Records what reaches the network.
    private final class Recorder: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer
        var events: [String] = []

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            events.append("write")
            context.write(data, promise: promise)
        }

        func flush(context: ChannelHandlerContext) {
            events.append("flush")
            context.flush()
        }

        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            events.append("close")
            context.close(mode: mode, promise: promise)
        }
    }

    private let recorder = Recorder()
    private let channel: EmbeddedChannel

    init() throws {
        channel = EmbeddedChannel(handlers: [recorder, ResponseBatchHandler()])
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    @Test("Responses are flushed once, after the tasks that the event loop has already")
    func batch() throws {
        channel.eventLoop.assumeIsolated().execute { [recorder] in recorder.events.append("task") }
        channel.writeAndFlush(ByteBuffer(string: "1"), promise: nil)
        channel.writeAndFlush(ByteBuffer(string: "2"), promise: nil)
        #expect(recorder.events == ["write", "write"])
        channel.embeddedEventLoop.run()
        #expect(recorder.events == ["write", "write", "task", "flush"])
        channel.writeAndFlush(ByteBuffer(string: "3"), promise: nil)
        channel.embeddedEventLoop.run()
        #expect(recorder.events.suffix(2) == ["write", "flush"])
        _ = try channel.finish()
    }

    @Test("A response is flushed before the connection closes")
    func close() throws {
        channel.writeAndFlush(ByteBuffer(string: "1"), promise: nil)
        channel.close(promise: nil)
        #expect(recorder.events == ["write", "flush", "close"])
        #expect(try channel.readOutbound(as: ByteBuffer.self) == ByteBuffer(string: "1"))
    }
}
#endif
