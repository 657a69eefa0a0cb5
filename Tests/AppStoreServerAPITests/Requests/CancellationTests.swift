import AppReceiptSupport
import Foundation
import Testing

@testable import AppStoreServerAPI

@Suite("Cancellation")
struct CancellationTests {
    @Test("A canceled task sends nothing")
    @available(AppStoreServerAPI 1.0, *)
    func before() async throws {
        let transport = ScriptedTransport(try transactionResponse("1"))
        let client = try makeClient(transport)
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return await failure { try await client.transaction("1") }
        }
        #expect(await task.value?.code == .canceled)
        #expect(transport.requests.isEmpty)
    }

    @Test("Cancellation ends the wait before a repetition")
    @available(AppStoreServerAPI 1.0, *)
    func whileWaiting() async throws {
        let transport = ScriptedTransport(.badGateway)
        let time = TestTime()
        time.onSleep { throw CancellationError() }
        let error = await failure { try await makeClient(transport, time: time).transaction("1") }
        #expect(error?.code == .canceled)
        #expect(error?.isRetryable == false)
        #expect(transport.requests.count == 1)
    }

    @Test("Cancellation inside the transport is neither repeated nor asked of the next environment")
    @available(AppStoreServerAPI 1.0, *)
    func inTransport() async throws {
        let transport = ScriptedTransport { _, _ in throw CancellationError() }
        #expect(await failure { try await makeClient(transport).transaction("1") }?.code == .canceled)
        #expect(transport.requests.count == 1)
    }

    @Test("Cancellation while waiting for the limit of requests returns the reservation")
    @available(AppStoreServerAPI 1.0, *)
    func whileLimited() async throws {
        let transport = ScriptedTransport(.json(["testNotificationToken": "t"]))
        let time = TestTime()
        let client = try makeClient(transport, time: time)
        for _ in 0..<5 { _ = try await client.requestTestNotification(in: .production) }
        time.onSleep { throw CancellationError() }
        #expect(await failure { try await client.requestTestNotification(in: .production) }?.code == .canceled)
        time.onSleep {}
        _ = try await client.requestTestNotification(in: .production)
        // The first wait gained the token, which the canceled request gave back.
        #expect(time.sleeps.count == 1)
        #expect(transport.requests.count == 6)
    }

    @Test("Cancellation ends the pages")
    @available(AppStoreServerAPI 1.0, *)
    func pages() async throws {
        let transport = ScriptedTransport { _, number in
            .json(["revision": .string("r\(number)"), "hasMore": true, "signedTransactions": []])
        }
        let client = try makeClient(transport)
        let task = Task {
            await failure {
                for try await _ in client.history(ofCustomer: "1") {
                    if transport.requests.count == 3 { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
                }
            }
        }
        #expect(await task.value?.code == .canceled)
        #expect(transport.requests.count == 3)
    }
}
