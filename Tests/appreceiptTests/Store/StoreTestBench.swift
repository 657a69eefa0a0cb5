import AppReceiptSupport
import AppReceiptTesting
import AppStoreServerAPI
import AppStoreServerTesting
import ArgumentParser
import Foundation
import TestSupport

@testable import appreceipt

/// A fake with the sample customer, and clients that the command's options create. Nothing waits.
@available(AppStoreServerAPI 1.0, *)
struct StoreTestBench {
    static let start = instant("2025-01-01T00:00:00Z")

    let store: FakeAppStoreServer
    let folder: TemporaryFolder
    let time = LockedValueBox(Self.start)

    init() throws {
        let time = time
        store = FakeAppStoreServer(bundleIdentifier: "com.example.app", now: { time.withLock { $0 } })
        store.addSample()
        folder = try TemporaryFolder()
        _ = try folder.write("key.p8", Array(store.key.pem.utf8))
        _ = try folder.write("root.pem", Array(store.pki.root.pem().utf8))
    }

    var clock: AppStoreServerClock {
        let time = time
        return AppStoreServerClock(now: { time.withLock { $0 } }) { duration in
            time.withLock { $0 += Double(duration.components.seconds) + 1 }
        }
    }

    /// The options that every command needs.
    var required: [String] {
        [
            "--key", folder.url("key.p8").path, "--key-id", store.key.keyIdentifier, "--issuer-id",
            store.key.issuerIdentifier, "--bundle-id", "com.example.app", "--root", folder.url("root.pem").path,
        ]
    }

    /// The client that a command with these further options uses.
    func client(_ arguments: String...) throws -> AppStoreServerClient {
        let options = try StoreOptions.parse(required + arguments)
        return try options.client(environments: options.environments, transport: store, clock: clock)
    }

    /// The failure that `body` throws; nil if it doesn't throw.
    func failure<Value>(_ body: () async throws -> Value) async -> StoreFailure? {
        do {
            _ = try await body()
            return nil
        } catch {
            return (error as? AppStoreServerError).map { StoreFailure($0) }
        }
    }

    /// The endpoints and environments that were asked.
    var requests: [String] {
        store.requests.map { "\($0.endpoint?.rawValue ?? "none") \($0.environment.rawValue)" }
    }
}

/// Responds to every request with the same successful response.
@available(AppStoreServerAPI 1.0, *)
struct ConstantTransport: AppStoreServerTransport {
    let body: [UInt8]

    func send(_ request: AppStoreServerHTTPRequest) async throws -> AppStoreServerHTTPResponse {
        AppStoreServerHTTPResponse(status: 200, body: body)
    }
}

extension StoreResult {
    var environment: String? { json.object?["environment"]?.string }
}
