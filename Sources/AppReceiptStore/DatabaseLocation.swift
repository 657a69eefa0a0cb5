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

    /// Opens the database of a server for its operator, who reads no evidence.
    package func openForAdministration() throws(StoreError) -> any EvidenceStore {
        switch self {
        case .file(let path): try SQLiteStore(administrating: path)
        #if Postgres
        case .postgres(let address): try PostgreSQLStore(administrating: address)
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
#endif
