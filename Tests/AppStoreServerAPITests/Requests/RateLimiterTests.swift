import AppReceiptSupport
import Foundation
import Testing

@testable import AppStoreServerAPI

@Suite("RateLimiter")
struct RateLimiterTests {
    /// Sends as many requests as are accepted in an hour, one after the other.
    @available(AppStoreServerAPI 1.0, *)
    private func requestsInAnHour(_ key: RateLimiter.Key) -> Int {
        let limiter = RateLimiter(share: 0.9)
        var date = now
        var count = 0
        while date < now + 3600 {
            guard case .wait(let seconds) = limiter.reserve(key, now: date, deadline: .distantFuture) else { break }
            date += seconds
            if date < now + 3600 { count += 1 }
        }
        return count
    }

    @Test(
        "Requests in an hour stay below Apple's limit, and use most of it", arguments: APIRequest.Endpoint.allCases)
    @available(AppStoreServerAPI 1.0, *)
    func budget(_ endpoint: APIRequest.Endpoint) {
        for (environment, part) in [(AppStoreEnvironment.production, 1.0), (.sandbox, 0.1)] {
            let limit = endpoint.rules.requestsPerSecond * 3600 * part
            let count = Double(requestsInAnHour(RateLimiter.Key(environment: environment, endpoint: endpoint)))
            #expect(count <= limit)
            #expect(count >= limit * 0.89)
        }
    }

    @Test("Each environment and endpoint has its own bucket")
    @available(AppStoreServerAPI 1.0, *)
    func separate() {
        let limiter = RateLimiter(share: 0.9)
        func wait(_ environment: AppStoreEnvironment, _ endpoint: APIRequest.Endpoint) -> Double? {
            let key = RateLimiter.Key(environment: environment, endpoint: endpoint)
            guard case .wait(let seconds) = limiter.reserve(key, now: now, deadline: .distantFuture) else { return nil }
            return seconds
        }
        for _ in 0..<5 { #expect(wait(.production, .massExtend) == 0) }
        #expect(wait(.production, .massExtend).map { ($0 * 100).rounded() } == 111)
        #expect(wait(.production, .testNotification) == 0)
        #expect(wait(.sandbox, .massExtend) == 0)
    }

    @Test("A request that would wait beyond its time limit is rejected with the date, and uses nothing")
    @available(AppStoreServerAPI 1.0, *)
    func tooLong() async throws {
        let transport = ScriptedTransport(.json(["testNotificationToken": "t"]))
        let time = TestTime()
        let client = try makeClient(transport, time: time) { $0.callTimeout = .seconds(5) }
        for _ in 0..<5 { _ = try await client.requestTestNotification(in: .sandbox) }
        let error = await failure { try await client.requestTestNotification(in: .sandbox) }
        #expect(error?.code == .rateLimited)
        let date = try #require(error?.retryDate)
        #expect(date > now + 11)
        #expect(date < now + 12)
        #expect(transport.requests.count == 5)
        time.now = date + 0.001
        _ = try await client.requestTestNotification(in: .sandbox)
        #expect(time.sleeps.isEmpty)
    }

    @Test("Copies of a client share the bucket")
    @available(AppStoreServerAPI 1.0, *)
    func shared() async throws {
        let time = TestTime()
        let client = try makeClient(ScriptedTransport(.json(["testNotificationToken": "t"])), time: time)
        let copy = try client.restricted(to: .production)
        for _ in 0..<3 {
            _ = try await client.requestTestNotification(in: .production)
            _ = try await copy.requestTestNotification(in: .production)
        }
        #expect(time.sleeps == [1.111])
    }
}
