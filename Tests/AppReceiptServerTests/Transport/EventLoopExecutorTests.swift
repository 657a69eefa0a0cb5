#if Server
import NIOCore
import NIOPosix
import Testing

@testable import AppReceiptServer

@Suite("EventLoopExecutor")
struct EventLoopExecutorTests {
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
    @Test("A task runs on its event loop, and long work on the verification executor")
    func threads() async throws {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        await withTaskExecutorPreference(EventLoopExecutor(eventLoop)) {
            #expect(eventLoop.inEventLoop)
            #expect(await onVerificationExecutor { MultiThreadedEventLoopGroup.currentEventLoop == nil })
            #expect(eventLoop.inEventLoop)
        }
    }
}
#endif
