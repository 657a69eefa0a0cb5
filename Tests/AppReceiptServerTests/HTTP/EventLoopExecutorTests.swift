#if Server
import NIOCore
import NIOPosix
import Testing

@testable import AppReceiptServer

@Suite("EventLoopExecutor")
struct EventLoopExecutorTests {
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
    @Test("Work on the current event loop runs on its thread, after the tasks already enqueued")
    func stage() async throws {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let order = try await withTaskExecutorPreference(EventLoopExecutor(eventLoop)) {
            #expect(eventLoop.inEventLoop)
            let steps = NIOLoopBound<Steps>(Steps(), eventLoop: eventLoop)
            eventLoop.execute { steps.value.names.append("earlier") }
            try await onCurrentEventLoop {
                #expect(eventLoop.inEventLoop)
                steps.value.names.append("stage")
            }
            return steps.value.names
        }
        #expect(order == ["earlier", "stage"])
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
    @Test("Without an event loop, work runs on the verification executor, and blocking work always does")
    func threads() async throws {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        #expect(try await onCurrentEventLoop { MultiThreadedEventLoopGroup.currentEventLoop == nil })
        await withTaskExecutorPreference(EventLoopExecutor(eventLoop)) {
            #expect(await onVerificationExecutor { MultiThreadedEventLoopGroup.currentEventLoop == nil })
            #expect(eventLoop.inEventLoop)
        }
    }

    private final class Steps { var names: [String] = [] }
}
#endif
