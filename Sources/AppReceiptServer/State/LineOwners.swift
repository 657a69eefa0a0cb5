#if Server
import Crypto
import GRDB

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An account of the server's clients, as the store knows it: not who it is, only whether it is the same.
struct Account: Sendable, Hashable {
    /// HMAC-SHA256 under a key that never leaves the database.
    let digest: Data
    /// Whether it has the form of an `appAccountToken` and can be compared with one.
    let isUUID: Bool
}

/// Makes accounts of what clients name.
struct Accounts: Sendable {
    private static let setting = "account-key"
    private static let keyBytes = 32
    private let key: SymmetricKey

    /// With the key in the database, or a new one in a new database.
    init(_ database: Database) throws {
        if let stored = try Row.fetchOne(
            database, sql: "SELECT value FROM settings WHERE name = ?", arguments: [Self.setting])
        {
            guard let octets = Data.fromDatabaseValue(stored[0]), octets.count == Self.keyBytes else {
                throw StoreError.damaged
            }
            key = SymmetricKey(data: octets)
            return
        }
        key = SymmetricKey(size: SymmetricKeySize(bitCount: Self.keyBytes * 8))
        try database.execute(
            sql: "INSERT INTO settings (name, value) VALUES (?, ?)",
            arguments: [Self.setting, unsafe key.withUnsafeBytes { unsafe Data($0) }])
    }

    /// The account of this name; UUIDs are the same in upper and lower case. Nil for none.
    func account(_ name: String?) -> Account? {
        guard let name, !name.isEmpty else { return nil }
        if Self.isUUID(name), let uuid = UUID(uuidString: name) { return account(uuid) }
        return Account(digest: digest(name), isUUID: false)
    }

    /// Whether it is written as UUIDs are, 8-4-4-4-12 hexadecimal digits: the library reads signs as well, and would take
    /// several names for one account.
    private static func isUUID(_ name: String) -> Bool {
        name.utf8.count == 36
            && name.utf8.enumerated().allSatisfy { place, octet in
                switch place {
                case 8, 13, 18, 23: octet == 0x2D
                default:
                    switch octet {
                    case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
                    default: false
                    }
                }
            }
    }

    /// The account whose `appAccountToken` this is.
    func account(_ token: UUID) -> Account { Account(digest: digest(token.uuidString.lowercased()), isUUID: true) }

    private func digest(_ name: String) -> Data {
        Data(HMAC<SHA256>.authenticationCode(for: Data(name.utf8), using: key))
    }
}

/// Whose a line is: the account's that Apple's signed data names, whenever that becomes known, and otherwise the first
/// account's that presented it.
///
/// Of what Apple names (`appAccountToken`, a UUID) only accounts that are UUIDs can be told apart: it takes a line from
/// one of them that came first, which may be a thief. Of other accounts the first one owns the line beside it, and stays.
/// The first token of a line stays too.
struct LineOwners {
    let place: Place

    private struct Owner: Equatable {
        /// What Apple's signed data names.
        var token: Data?
        /// The first account that presented it.
        var account: Data?
    }

    /// Binds the line to what is not bound yet.
    ///
    /// - Parameters:
    ///   - line: the original transaction identifier.
    ///   - token: what signed data of the line names; nil for nothing.
    ///   - account: who presents it; nil where nobody does, as with notifications.
    /// - Returns: whether it belongs to another account than the one that presents it.
    func claim(_ line: String, namedBy token: Account?, for account: Account?, _ database: Database) throws -> Bool {
        guard token != nil || account != nil else { return false }
        let known = try owner(of: line, database) ?? Owner()
        var owner = known
        owner.token = known.token ?? token?.digest
        let isReplay: Bool
        if let account, account.isUUID, let named = token?.digest ?? owner.token {
            isReplay = named != account.digest
        } else {
            isReplay = account.map { known.account ?? $0.digest != $0.digest } ?? false
        }
        if !isReplay { owner.account = known.account ?? account?.digest }
        if owner != known { try write(owner, line, database) }
        return isReplay
    }

    private func owner(of line: String, _ database: Database) throws -> Owner? {
        let row = try Row.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT app_account_token, account FROM line_owners WHERE app = ? AND environment = ? AND line = ?
                    """),
            arguments: [place.app, place.environment, line])
        return row.map { Owner(token: Data.fromDatabaseValue($0[0]), account: Data.fromDatabaseValue($0[1])) }
    }

    private func write(_ owner: Owner, _ line: String, _ database: Database) throws {
        try database.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO line_owners (app, environment, line, app_account_token, account)
                VALUES (?, ?, ?, ?, ?)
                """
        ).execute(arguments: [place.app, place.environment, line, owner.token, owner.account])
    }
}
#endif
