#if Server
import AppReceiptKit
import Logging
import NIOPosix
import Testing
import VerifyReceipt

@testable import AppReceiptServer

@Suite("LoggedHistory")
struct LoggedHistoryTests {
    /// Returns whether work that reads the history runs on the event loop that asks for it.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
    private static func staysOnEventLoop(_ receipt: VerifiedReceipt?, _ store: TransactionStore) async -> Bool {
        let history = LoggedHistory(store: store, completion: nil, receipt: receipt, logger: Logger(label: "test"))
        return await withTaskExecutorPreference(EventLoopExecutor(MultiThreadedEventLoopGroup.singleton.next())) {
            await history.withExecutor { MultiThreadedEventLoopGroup.currentEventLoop != nil }
        }
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
    @Test(
        "Only work about a receipt that is known to be stored alone stays on the event loop",
        arguments: StoreKind.allCases)
    func executor(_ kind: StoreKind) async throws {
        try await withStore(kind) { store async throws in
            let receipt = try StoreFixtures.receipt(["1"])
            #expect(await !Self.staysOnEventLoop(receipt, store))
            try await store.record(receipt)
            #expect(try store.history(beside: receipt).receipts.isEmpty)
            #expect(await Self.staysOnEventLoop(receipt, store))
            try await store.record(StoreFixtures.transaction(StoreFixtures.period("77", of: "1")))
            #expect(await !Self.staysOnEventLoop(receipt, store))
        }
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
    @Test("Work about a receipt without purchases stays on the event loop, and work about other evidence never does")
    func otherEvidence() async throws {
        try await withStore { store async throws in
            #expect(await Self.staysOnEventLoop(try StoreFixtures.receipt([]), store))
            #expect(await !Self.staysOnEventLoop(nil, store))
        }
    }
}
#endif
