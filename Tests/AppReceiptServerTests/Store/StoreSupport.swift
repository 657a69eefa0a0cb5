#if Server
import AppReceiptKit
import AppReceiptServer
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import TestSupport
import Testing
import VerifyReceipt

/// The location of a test's store.
enum StoreKind: String, Sendable, CaseIterable, CustomTestStringConvertible {
    case memory, file
    var testDescription: String { rawValue }
}

/// Calls `body` with a path in an empty folder, which is removed afterwards.
func withDatabasePath<Result>(_ body: (String) async throws -> Result) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder.appendingPathComponent("state.sqlite").path)
}

/// Calls `body` with an empty store, which is closed afterwards.
func withStore(
    _ kind: StoreKind = .memory, limits: StoreLimits = .default, _ body: (TransactionStore) async throws -> Void
) async throws {
    try await withDatabasePath { path async throws in
        let store = try TransactionStore(testing: kind == .memory ? nil : path, limits: limits)
        try await body(store)
        try await store.close()
    }
}

extension TransactionStore {
    /// Creates a store that trusts the test roots.
    convenience init(testing path: String?, limits: StoreLimits = .default) throws {
        try self.init(
            path: path, receipts: ReceiptVerifier(anchors: TestPKI.standard.anchors),
            signedData: SignedDataVerifier(anchors: TestPKI.signedData.anchors), limits: limits)
    }

    /// Returns the history of these original transactions of the app, by default in the sandbox.
    func known(_ originals: Set<String>, _ environment: AppStoreEnvironment = .sandbox) async throws
        -> CustomerEvidence
    {
        try await history(of: originals, app: "com.example.app", environment: environment)
    }
}

extension CustomerEvidence {
    var identifiers: [String?] { transactions.map(\.claims.transactionIdentifier) }
}

/// Returns the store's error that `body` throws, if any.
func rejection<Value>(_ body: () async throws -> Value) async -> StoreError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? StoreError
    }
}
#endif
