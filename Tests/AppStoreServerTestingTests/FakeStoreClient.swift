import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import AppStoreServerAPI
import AppStoreServerTesting
import Foundation
@_exported import TestSupport
import Testing

/// A fake with a clock that tests set, and a client of it that signs its requests.
@available(AppStoreServerAPI 1.0, *)
struct FakeStoreClient {
    let store: FakeAppStoreServer
    let clock = LockedValueBox(instant("2024-07-02T15:04:05Z"))
    var environment = FakeAppStoreServer.Environment.sandbox
    var bundleIdentifier = "com.example.app"

    init(paginationTokenLifetime: TimeInterval = 3600) {
        store = FakeAppStoreServer(
            bundleIdentifier: "com.example.app", paginationTokenLifetime: paginationTokenLifetime,
            now: { [clock] in clock.withLock { $0 } })
    }

    var now: Date { clock.withLock { $0 } }

    func advance(by seconds: TimeInterval) { clock.withLock { $0 += seconds } }

    func with(_ change: (inout FakeStoreClient) -> Void) -> FakeStoreClient {
        var changed = self
        change(&changed)
        return changed
    }

    /// Sends a request, with a valid token unless another header is given.
    func send(
        _ method: AppStoreServerHTTPRequest.Method = .get, _ path: String, _ body: AppStoreJSON.Object? = nil,
        authorization: String? = nil, timeout: Duration = .seconds(30)
    ) async throws -> FakeStoreResponse {
        let host = environment == .sandbox ? "api.storekit-sandbox.apple.com" : "api.storekit.apple.com"
        let valid = try store.key.authorization(for: bundleIdentifier, at: now)
        return FakeStoreResponse(
            try await store.send(
                AppStoreServerHTTPRequest(
                    method: method, url: "https://\(host)/inApps\(path)",
                    headers: ["Authorization": authorization ?? valid],
                    body: body.map { AppStoreJSON.object($0).text() }, timeout: timeout)))
    }

    /// Sends a request, and returns the error code of the response; nil if it has none.
    func code(
        _ method: AppStoreServerHTTPRequest.Method = .get, _ path: String, _ body: AppStoreJSON.Object? = nil
    ) async throws -> Int64? {
        let response = try await send(method, path, body)
        let code = response["errorCode"]?.number?.int64
        if let code { #expect(Int64(response.status) == code / 10_000) }
        return code
    }
}
