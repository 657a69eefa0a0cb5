import AppReceiptSupport
import Foundation
import Testing

@testable import AppStoreServerAPI

@Suite("Retries")
struct RetryTests {
    @Test(
        "Errors that Apple announces as retryable, 5xx and error pages are repeated",
        arguments: [4_040_002, 4_040_004, 4_040_006, 5_000_001, 5_030_000] as [Int64])
    @available(AppStoreServerAPI 1.0, *)
    func retryable(_ number: Int64) async throws {
        let transport = ScriptedTransport(.apple(number), .badGateway, try transactionResponse("1"))
        let time = TestTime()
        let transaction = try await makeClient(transport, time: time).transaction("1")
        #expect(transaction.claims.transactionIdentifier == "1")
        #expect(time.sleeps == [1, 2])
        #expect(Set(transport.log) == ["GET production/inApps/v1/transactions/1"])
    }

    @Test("Apple's error 5000000, which isn't announced as worth a repetition, is repeated more slowly")
    @available(AppStoreServerAPI 1.0, *)
    func generalInternal() async throws {
        let transport = ScriptedTransport(.apple(5_000_000), .apple(5_000_000), try transactionResponse("1"))
        let time = TestTime()
        _ = try await makeClient(transport, time: time).transaction("1")
        #expect(time.sleeps == [8, 16])
    }

    @Test(
        "Final errors are never repeated",
        arguments: [4_000_000, 4_000_006, 4_000_048, 4_030_004, 4_040_007, 4_040_008, 4_090_000, 4_999_999] as [Int64])
    @available(AppStoreServerAPI 1.0, *)
    func final(_ number: Int64) async throws {
        let transport = ScriptedTransport(.apple(number))
        let error = await failure { try await makeClient(transport).transaction("1") }
        #expect(error?.appleErrorCode == number)
        #expect(error?.isRetryable == false)
        #expect(transport.requests.count == 1)
    }

    @Test("Broken connections and time-outs are repeated, a response that is too large isn't")
    @available(AppStoreServerAPI 1.0, *)
    func transportErrors() async throws {
        let response = try transactionResponse("1")
        for error in [AppStoreServerTransportError.connectionFailed("reset"), .timedOut] {
            let transport = ScriptedTransport { _, number in
                if number == 0 { throw error }
                return response
            }
            _ = try await makeClient(transport).transaction("1")
            #expect(transport.requests.count == 2)
        }
        let broken = ScriptedTransport { _, _ in throw AppStoreServerTransportError.connectionFailed("It was reset.") }
        let error = await failure { try await makeClient(broken).transaction("1") }
        #expect(error?.code == .unreachable)
        #expect(error?.message.hasSuffix("Cause: It was reset.") == true)
        let tooLarge = ScriptedTransport { _, _ in throw AppStoreServerTransportError.responseTooLarge }
        #expect(await failure { try await makeClient(tooLarge).transaction("1") }?.code == .responseTooLarge)
        #expect(tooLarge.requests.count == 1)
    }

    @Test("The number of attempts is bounded, and the last error is thrown")
    @available(AppStoreServerAPI 1.0, *)
    func bounded() async throws {
        let time = TestTime()
        let transport = ScriptedTransport(.badGateway)
        let error = await failure { try await makeClient(transport, time: time).transaction("1") }
        #expect(error?.code == .serverError)
        #expect(error?.httpStatus == 502)
        #expect(error?.isRetryable == true)
        #expect(transport.requests.count == 4)
        #expect(time.sleeps == [1, 2, 4])
        let once = ScriptedTransport(.badGateway)
        let client = try makeClient(once) { $0.retryPolicy = .disabled }
        _ = await failure { try await client.transaction("1") }
        #expect(once.requests.count == 1)
    }

    @Test("Waits double up to the maximum, and chance subtracts up to half")
    @available(AppStoreServerAPI 1.0, *)
    func backoff() {
        let policy = AppStoreServerRetryPolicy(initialDelay: .seconds(1), maxDelay: .seconds(5))
        #expect([1, 2, 3, 4, 1000].map { policy.delay(afterAttempt: $0, random: 0).inSeconds } == [1, 2, 4, 5, 5])
        #expect([1, 2].map { policy.delay(afterAttempt: $0, random: 1).inSeconds } == [0.5, 1])
        #expect(policy.delay(afterAttempt: 3, random: 0.5).inSeconds == 3)
    }

    @Test("A test notification isn't repeated after it may have been sent, but after a refusal")
    @available(AppStoreServerAPI 1.0, *)
    func unsafe() async throws {
        for response in [AppStoreServerHTTPResponse.badGateway, .apple(5_000_001)] {
            let transport = ScriptedTransport(response)
            let client = try makeClient(transport)
            #expect(await failure { try await client.requestTestNotification(in: .sandbox) }?.isRetryable == true)
            #expect(transport.requests.count == 1)
        }
        let broken = ScriptedTransport { _, _ in throw AppStoreServerTransportError.timedOut }
        let client = try makeClient(broken)
        #expect(await failure { try await client.requestTestNotification(in: .sandbox) }?.code == .timedOut)
        #expect(broken.requests.count == 1)
        let refused = ScriptedTransport(.apple(4_290_000), .json(["testNotificationToken": "t"]))
        #expect(try await makeClient(refused).requestTestNotification(in: .production) == "t")
        #expect(refused.requests.count == 2)
    }

    @Test("An extension of all subscriptions isn't repeated after it may have been accepted, but after a refusal")
    @available(AppStoreServerAPI 1.0, *)
    func extensionOfAll() async throws {
        let request = AppStoreServerClient.RenewalExtensionRequest(
            days: 1, reason: .serviceOutage, requestIdentifier: "R1")
        func send(_ transport: ScriptedTransport) async throws -> AppStoreServerError? {
            let client = try makeClient(transport)
            return await failure {
                try await client.extendAllSubscriptions(ofProduct: "com.example.monthly", by: request, in: .production)
            }
        }
        for response in [AppStoreServerHTTPResponse.badGateway, .apple(5_000_000), .apple(5_000_001)] {
            let transport = ScriptedTransport(response)
            #expect(try await send(transport)?.isOutcomeUnknown == true)
            #expect(transport.requests.count == 1)
        }
        let refused = ScriptedTransport(.apple(4_290_000), .json(["requestIdentifier": "R1"]))
        #expect(try await send(refused) == nil)
        #expect(refused.requests.count == 2)
    }

    @Test(
        "The outcome of a change is unknown after an attempt that may have arrived, whatever the last attempt returned")
    @available(AppStoreServerAPI 1.0, *)
    func outcome() async throws {
        let request = AppStoreServerClient.RenewalExtensionRequest(
            days: 1, reason: .serviceOutage, requestIdentifier: "R1")
        func isUnknown(_ transport: ScriptedTransport) async throws -> Bool? {
            let client = try makeClient(transport)
            return await failure { try await client.extendSubscription("1", by: request) }?.isOutcomeUnknown
        }
        for cause in [AppStoreServerTransportError.connectionClosed, .connectionFailed("reset"), .timedOut] {
            #expect(try await isUnknown(ScriptedTransport { _, _ in throw cause }) == true)
        }
        for cause in [AppStoreServerTransportError.hostNotFound, .connectionRefused] {
            #expect(try await isUnknown(ScriptedTransport { _, _ in throw cause }) == false)
        }
        #expect(try await isUnknown(ScriptedTransport(.badGateway)) == true)
        #expect(try await isUnknown(ScriptedTransport(.apple(4_030_004))) == false)
        #expect(try await isUnknown(ScriptedTransport(.badGateway, .apple(4_030_005))) == true)
        let read = try makeClient(ScriptedTransport(.badGateway))
        #expect(await failure { try await read.transaction("1") }?.isOutcomeUnknown == false)
    }

    @Test("Requests that change something are repeated with the same body, because the result is the same")
    @available(AppStoreServerAPI 1.0, *)
    func safe() async throws {
        let transport = ScriptedTransport(.badGateway, .json(["originalTransactionId": "1", "success": true]))
        let request = AppStoreServerClient.RenewalExtensionRequest(
            days: 1, reason: .serviceOutage, requestIdentifier: "R1")
        _ = try await makeClient(transport).extendSubscription("1", by: request)
        #expect(transport.requests.count == 2)
        #expect(transport.requests[0].body == transport.requests[1].body)
    }

    @Test("A 429 waits until its date, which is in milliseconds")
    @available(AppStoreServerAPI 1.0, *)
    func retryAfter() async throws {
        let transport = ScriptedTransport(
            .apple(4_290_000, headers: ["retry-after": "1735689630000"]), try transactionResponse("1"))
        let time = TestTime()
        _ = try await makeClient(transport, time: time).transaction("1")
        #expect(time.sleeps == [30])
        #expect(time.now == now + 30)
    }

    @Test("A 429 without a date, or with one in the past, backs off")
    @available(AppStoreServerAPI 1.0, *)
    func withoutDate() async throws {
        for headers in [[:], ["retry-after": "1735689540000"], ["retry-after": "later"]] {
            let transport = ScriptedTransport(.apple(4_290_000, headers: headers), try transactionResponse("1"))
            let time = TestTime()
            _ = try await makeClient(transport, time: time).transaction("1")
            #expect(time.sleeps == [1])
        }
    }

    @Test("A wait longer than the policy accepts is an error with the date")
    @available(AppStoreServerAPI 1.0, *)
    func longWait() async throws {
        let transport = ScriptedTransport(.apple(4_290_000, headers: ["retry-after": "1735693200000"]))
        let time = TestTime()
        let client = try makeClient(transport, time: time)
        let error = await failure { try await client.transaction("1") }
        #expect(error?.code == .rateLimited)
        #expect(error?.appleErrorCode == 4_290_000)
        #expect(error?.retryDate == now + 3600)
        #expect(error?.isRetryable == true)
        #expect(time.sleeps.isEmpty)
        #expect(transport.requests.count == 1)
        // Other requests to the endpoint don't ask again at once.
        _ = await failure { try await client.transaction("2") }
        #expect(time.sleeps == [60])
    }

    @Test("A 503 with Retry-After waits as long as it requires")
    @available(AppStoreServerAPI 1.0, *)
    func unavailable() async throws {
        let transport = ScriptedTransport(
            AppStoreServerHTTPResponse(status: 503, headers: ["retry-after": "7"]), try transactionResponse("1"))
        let time = TestTime()
        _ = try await makeClient(transport, time: time).transaction("1")
        #expect(time.sleeps == [7])
    }

    @Test("A call ends within its time limit, which also limits each request")
    @available(AppStoreServerAPI 1.0, *)
    func callTimeout() async throws {
        let time = TestTime()
        let transport = ScriptedTransport { _, _ in
            time.now += 20
            throw AppStoreServerTransportError.timedOut
        }
        let client = try makeClient(transport, time: time) { $0.callTimeout = .seconds(45) }
        let error = await failure { try await client.transaction("1") }
        #expect(error?.code == .timedOut)
        #expect(transport.requests.map(\.timeout) == [.seconds(30), .seconds(24), .seconds(2)])
        #expect(time.sleeps == [1, 2])
    }
}
