#if Server
package import AppReceiptKit
package import AppReceiptStore
import AppReceiptTesting
package import AppStoreSignedData
package import Foundation
import Testing

/// An engine on which the suite of every store runs. A new engine is a case, and how ``Database/open(_:limits:)`` opens
/// it.
package enum StoreEngine: String, Sendable, CaseIterable, CustomTestStringConvertible {
    case sqlite = "SQLite in a file"
    case sqliteInMemory = "SQLite in memory"
    #if Postgres
    case postgreSQL = "PostgreSQL"
    #endif

    /// The engines that can be tested here: PostgreSQL needs a server.
    package static let allCases: [StoreEngine] = {
        #if Postgres
        if PostgresTestServer.address != nil { return [.sqlite, .sqliteInMemory, .postgreSQL] }
        #endif
        return [.sqlite, .sqliteInMemory]
    }()

    /// The engines whose evidence survives the store that recorded it.
    package static let persistent = allCases.filter { $0 != .sqliteInMemory }

    package var testDescription: String { rawValue }

    /// The place of a test's evidence.
    package struct Database: Sendable {
        /// The engine, and where its database is.
        enum Place: Sendable {
            case sqlite(path: String)
            case sqliteInMemory
            #if Postgres
            case postgreSQL(PostgresTestDatabase)
            #endif
        }

        let place: Place

        /// Opens a store.
        package func open(
            _ trust: StoreTrust = .tests, limits: StoreLimits = .default,
            hashesAccounts: Bool = false, clock: @escaping @Sendable () -> Date = { Date() }
        ) throws(StoreError) -> any EvidenceStore {
            switch place {
            case .sqlite(let path):
                try SQLiteStore(
                    testing: path, trust, hashesAccounts: hashesAccounts, limits: limits, clock: clock)
            case .sqliteInMemory:
                try SQLiteStore(testing: nil, trust, hashesAccounts: hashesAccounts, limits: limits, clock: clock)
            #if Postgres
            case .postgreSQL(let database):
                try PostgreSQLStore(
                    testing: database, trust, hashesAccounts: hashesAccounts, limits: limits, clock: clock)
            #endif
            }
        }
    }

    /// Calls `body` with an empty database, which is removed afterwards.
    package func withDatabase(_ body: (Database) async throws -> Void) async throws {
        switch self {
        case .sqlite:
            try await withDatabasePath { path async throws in try await body(Database(place: .sqlite(path: path))) }
        case .sqliteInMemory:
            try await withDatabasePath { _ async throws in try await body(Database(place: .sqliteInMemory)) }
        #if Postgres
        case .postgreSQL:
            try await DatabaseTurns.shared.withTurn {
                try await PostgresTestDatabase.with { database async throws in
                    try await body(Database(place: .postgreSQL(database)))
                }
            }
        #endif
        }
    }

    /// Calls `body` with an empty store, which is closed afterwards.
    package func withStore(
        _ trust: StoreTrust = .tests, limits: StoreLimits = .default, _ body: (any EvidenceStore) async throws -> Void
    ) async throws {
        try await withDatabase { database async throws in
            let store = try database.open(trust, limits: limits)
            try await body(store)
            try await store.close()
        }
    }
}

/// What a store trusts.
package struct StoreTrust: Sendable {
    package let receipts: ReceiptVerifier
    package let signedData: SignedDataVerifier

    package init(receipts: ReceiptVerifier, signedData: SignedDataVerifier) {
        self.receipts = receipts
        self.signedData = signedData
    }

    private init(receipts: [TestPKI], signedData: [TestPKI]) {
        do {
            self.receipts = ReceiptVerifier(anchors: try TrustAnchors(der: receipts.map { try $0.root.der() }))
            self.signedData = SignedDataVerifier(
                anchors: try TrustAnchors(der: signedData.map { try $0.root.der() }))
        } catch {
            preconditionFailure("The test roots can't be made: \(error)")
        }
    }

    /// The test roots.
    package static let tests = StoreTrust(receipts: [.standard], signedData: [.signedData])

    /// The test roots and those of ``StoreFixtures/formerPKI`` and `TestPKI.impostor`, which ``tests`` doesn't trust.
    package static let testsAndFormer = StoreTrust(
        receipts: [.standard, .impostor], signedData: [.signedData, StoreFixtures.formerPKI])

    /// Apple's roots.
    package static let apple = StoreTrust(receipts: ReceiptVerifier(), signedData: SignedDataVerifier())
}

extension SQLiteStore {
    /// Creates a store that trusts the test roots.
    package convenience init(
        testing path: String?, _ trust: StoreTrust = .tests, hashesAccounts: Bool = false,
        limits: StoreLimits = .default, clock: @escaping @Sendable () -> Date = { Date() }
    ) throws(StoreError) {
        try self.init(
            path: path, receipts: trust.receipts, signedData: trust.signedData, hashesAccounts: hashesAccounts,
            limits: limits, clock: clock)
    }

    /// Checks a database of tests.
    package static func check(testing path: String, _ trust: StoreTrust = .tests) throws(StoreError) -> Int {
        try check(path: path, receipts: trust.receipts, signedData: trust.signedData)
    }
}

/// Calls `body` with a path in an empty folder, which is removed afterwards.
package func withDatabasePath<Result>(_ body: (String) async throws -> Result) async throws -> Result {
    try await DatabaseTurns.shared.withTurn { try await withFolder(body) }
}

private func withFolder<Result>(_ body: (String) async throws -> Result) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder.appendingPathComponent("state.sqlite").path)
}

/// Returns the store's error that `body` throws, if any.
package func rejection<Value>(_ body: () async throws -> Value) async -> StoreError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? StoreError
    }
}

extension EvidenceStore {
    /// Returns the history of these original transactions of the app, by default in the sandbox.
    package func known(
        _ originals: Set<String>, _ environment: AppStoreEnvironment = .sandbox
    ) async throws -> CustomerEvidence {
        try await history(of: originals, app: "com.example.app", environment: environment)
    }

    package func forget(_ account: String) async throws(StoreError) -> Int {
        try await forget(account, in: nil)?.count ?? 0
    }

    package func account(of original: ScopedOriginal) async throws(StoreError) -> String? {
        try await accounts(of: [original])[original]
    }

    package func sightings(of original: ScopedOriginal) async throws(StoreError) -> [EvidenceSighting] {
        try await sightings(of: [original])[original] ?? []
    }

    package func events(after cursor: Int64, limit: Int, apps: Set<String>?) async throws(StoreError) -> EventPage {
        try await events(after: cursor, limit: limit, apps: apps, environments: nil)
    }

    @discardableResult
    package func record(
        _ receipt: VerifiedReceipt, account: String? = nil
    ) async throws(StoreError) -> RecordResult {
        try await record(CustomerEvidence(receipts: [receipt]), account: account, app: nil, from: .client)
    }

    @discardableResult
    package func record(
        _ receipt: VerifiedTransactionReceipt, account: String? = nil
    ) async throws(StoreError) -> RecordResult {
        try await record(CustomerEvidence(transactionReceipts: [receipt]), account: account, app: nil, from: .client)
    }

    @discardableResult
    package func record(
        _ transaction: VerifiedTransaction, account: String? = nil
    ) async throws(StoreError) -> RecordResult {
        try await record(CustomerEvidence(transactions: [transaction]), account: account, app: nil, from: .client)
    }

    @discardableResult
    package func record(
        _ renewal: VerifiedRenewalInfo, app: RenewalApp = .trusted("com.example.app")
    ) async throws(StoreError) -> RecordResult {
        try await record(CustomerEvidence(renewals: [renewal]), account: nil, app: app, from: .client)
    }

    @discardableResult
    package func record(_ notification: VerifiedNotification) async throws(StoreError) -> RecordResult {
        try await record(CustomerEvidence(notifications: [notification]), account: nil, app: nil, from: .client)
    }
}

extension CustomerEvidence {
    /// The identifiers of the transactions.
    package var identifiers: [String?] { transactions.map(\.claims.transactionIdentifier) }
}
#endif
