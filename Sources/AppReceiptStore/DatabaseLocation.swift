#if Server
import AppReceiptFoundation
package import AppReceiptKit
package import AppStoreSignedData

/// The place of a server's state: a file of SQLite, or the address of a PostgreSQL database.
public enum DatabaseLocation: Sendable, Hashable {
    /// A file of SQLite.
    case file(String)
    #if Postgres
    /// A PostgreSQL database.
    case postgres(PostgresAddress)
    #endif

    /// Whether a text is the address of a database, and not a path.
    package static func isAddress(_ text: String) -> Bool {
        text.hasPrefix("postgres://") || text.hasPrefix("postgresql://")
    }

    /// Opens the store, and creates what it needs.
    ///
    /// - Parameters:
    ///   - receipts: Verifies the receipts that are read.
    ///   - signedData: Verifies the tokens that are read.
    ///   - hashesAccounts: Whether accounts are stored as keyed hashes.
    package func open(
        receipts: ReceiptVerifier, signedData: SignedDataVerifier, hashesAccounts: Bool
    ) throws(StoreError) -> any EvidenceStore {
        switch self {
        case .file(let path):
            try SQLiteStore(path: path, receipts: receipts, signedData: signedData, hashesAccounts: hashesAccounts)
        #if Postgres
        case .postgres(let address):
            try PostgreSQLStore(
                address: address, receipts: receipts, signedData: signedData, hashesAccounts: hashesAccounts)
        #endif
        }
    }

    /// Opens the database of a server for its operator, without the search for refunds of former roots.
    ///
    /// - Parameters:
    ///   - receipts: Verifies the receipts that are read or imported. The default is for operations without evidence.
    ///   - signedData: Verifies the tokens that are read or imported.
    package func openForAdministration(
        receipts: ReceiptVerifier = ReceiptVerifier(), signedData: SignedDataVerifier = SignedDataVerifier()
    ) throws(StoreError) -> any EvidenceStore {
        switch self {
        case .file(let path): try SQLiteStore(administrating: path, receipts: receipts, signedData: signedData)
        #if Postgres
        case .postgres(let address):
            try PostgreSQLStore(administrating: address, receipts: receipts, signedData: signedData)
        #endif
        }
    }

    /// What the next start of a server does to the tables; nil for nothing. Changes nothing.
    package func pendingMigration() throws(StoreError) -> PendingMigration? {
        switch self {
        case .file(let path): try SQLiteDatabase.migration(of: path)
        #if Postgres
        case .postgres(let address): try PostgresSchema.migration(PostgresSession(address))
        #endif
        }
    }

    /// Checks a database as opening it does, without changing it, also while a server uses it. What doesn't exist is as
    /// good as a new database.
    ///
    /// - Returns: The number of purchases with refunds of former roots.
    package func check(receipts: ReceiptVerifier, signedData: SignedDataVerifier) throws(StoreError) -> Int {
        switch self {
        case .file(let path): try SQLiteStore.check(path: path, receipts: receipts, signedData: signedData)
        #if Postgres
        case .postgres(let address):
            try PostgreSQLStore.check(address: address, receipts: receipts, signedData: signedData)
        #endif
        }
    }
}

/// What the next start of a server does to the tables.
package enum PendingMigration: Sendable, Hashable {
    /// Creates them.
    case creation
    /// Migrates those of an older version.
    case migration
}

extension SQLiteStore {
    /// Copies a database into a new file while servers write, and checks the copy.
    ///
    /// - Parameters:
    ///   - path: The database, which isn't migrated.
    ///   - copy: The new file.
    ///   - progress: Called with the copied and all pages.
    /// - Throws: `cannotOpen` if the copy exists or can't be created; `damaged` if the copy is.
    package static func backup(
        _ path: String, to copy: String, progress: @escaping (_ done: Int, _ all: Int) -> Void
    ) throws(StoreError) {
        try SQLiteDatabase.backup(path, to: copy, progress: progress)
    }
}
#endif
