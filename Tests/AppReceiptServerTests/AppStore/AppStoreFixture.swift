#if Server
import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import AppStoreServerAPI
import AppStoreServerTesting
import AppStoreSignedData
import Foundation
import TestSupport

@testable import AppReceiptServer

/// A fake App Store with a customer in the sandbox, and the configuration of a server that asks it.
@available(AppReceiptServer 1.0, *)
final class AppStoreFixture: AppStoreServerTransport {
    static let product = "com.example.plus"
    static let original = "70"
    static let start = instant("2025-01-01T00:00:00Z")

    typealias Replacement = @Sendable (AppStoreServerHTTPRequest) -> AppStoreServerHTTPResponse?

    let fake: FakeAppStoreServer
    private let time: LockedValueBox<Date>
    private let replacement = LockedValueBox<Replacement?>(nil)
    private let held = LockedValueBox<[CheckedContinuation<Void, Never>]?>(nil)
    /// Whether waiting for the App Store ends at once, before it answers.
    private let isImpatient: Bool
    /// Whether the client repeats requests. Its waits don't end, except the one for the App Store.
    private let repeats: Bool
    /// Whether the wait between two searches of the queue doesn't end.
    private let searchesOnce: Bool

    /// - Parameters:
    ///   - purchases: The customer's purchases; nil for a subscription with two periods.
    ///   - isImpatient: Whether waiting for the App Store ends at once, before it answers.
    ///   - repeats: Whether the client repeats requests. Its waits don't end.
    ///   - searchesOnce: Whether the wait between two searches of the queue doesn't end.
    init(
        purchases: [any TestClaims]? = nil, isImpatient: Bool = false, repeats: Bool = false, searchesOnce: Bool = false
    ) {
        let time = LockedValueBox(Self.start)
        self.time = time
        self.isImpatient = isImpatient
        self.repeats = repeats
        self.searchesOnce = searchesOnce
        fake = FakeAppStoreServer(bundleIdentifier: "com.example.app", now: { time.withLock { $0 } })
        let subscription: [any TestClaims] = [
            Self.period("70", from: "2024-11-20T00:00:00Z"), Self.period("71", from: "2024-12-20T00:00:00Z"),
            TestRenewalInfo(Self.product, original: Self.original),
        ]
        // With an app transaction, whose identifier is in the customer's transactions.
        fake.add(purchases: (purchases ?? subscription) + [TestAppTransaction()])
    }

    static func period(_ transaction: String, from start: String) -> TestTransaction {
        let date = instant(start)
        return TestTransaction(product, transaction: transaction, original: original, at: date, until: date + 2_592_000)
    }

    /// A receipt with the first period only.
    static func receipt() throws -> [UInt8] {
        let purchase = TestPurchase(
            subscription: product, transaction: "70", from: instant("2024-11-20T00:00:00Z"),
            to: instant("2024-12-20T00:00:00Z"))
        return try TestReceipt(purchases: [purchase]).with { $0.creationDate = instant("2024-11-21T00:00:00Z") }
            .signed()
    }

    var now: Date {
        get { time.withLock { $0 } }
        set { time.withLock { $0 = newValue } }
    }

    /// The endpoints that were asked, in order.
    var asked: [FakeAppStoreServer.Endpoint?] { fake.requests.map(\.endpoint) }

    func configuration() throws -> AppStoreConfiguration {
        let key = try AppStoreServerKey(
            pem: fake.key.pem, keyIdentifier: fake.key.keyIdentifier, issuerIdentifier: fake.key.issuerIdentifier)
        var client = AppStoreServerConfiguration()
        if !repeats { client.retryPolicy = .disabled }
        client.clock = AppStoreServerClock(now: { self.now }) { duration in
            // Nothing waits, except for the App Store where the test holds it.
            let isHeld =
                duration == .seconds(2)
                ? !self.isImpatient : self.repeats || duration == .seconds(5) && self.searchesOnce
            guard isHeld else { return }
            try await Task.sleep(for: .seconds(3600))
        }
        return AppStoreConfiguration(key: key, transport: self, client: client)
    }

    /// Replaces the responses for which the function returns another one.
    func replaceResponses(_ replacement: Replacement?) { self.replacement.withLock { $0 = replacement } }

    /// Holds further requests until ``answer()``.
    func hold() { held.withLock { $0 = [] } }

    /// Answers the requests that are held.
    func answer() {
        let requests = held.withLock { held in
            defer { held = nil }
            return held ?? []
        }
        for request in requests { request.resume() }
    }

    func send(_ request: AppStoreServerHTTPRequest) async throws -> AppStoreServerHTTPResponse {
        await withCheckedContinuation { continuation in
            let isHeld = held.withLock { held in
                held?.append(continuation)
                return held != nil
            }
            if !isHeld { continuation.resume() }
        }
        let response = try await fake.send(request)
        return replacement.withLock(\.self)?(request) ?? response
    }
}
#endif
