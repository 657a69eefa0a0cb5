#if Server
import AppReceiptSupport
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

/// The accounts that original transactions belong to.
///
/// The newest signed `appAccountToken` decides; without one, the first account that submitted the purchase. An `appAccountToken` is a UUID
/// and can only be compared with accounts that are UUIDs. For other accounts the first one stays the owner.
struct AccountBindings {
    let scope: AppScope

    /// An `appAccountToken`, and the date it was signed.
    struct SignedToken {
        let account: Account
        /// Milliseconds since 1970.
        let signed: Int64
    }

    private struct AccountBinding: Equatable {
        /// The newest signed `appAccountToken`.
        var token: Data?
        var tokenSigned: Int64 = 0
        /// The first account that submitted the purchase.
        var account: Data?

        /// Takes a token unless a newer one is known; of the same date the larger one, so that the order of arrival has no effect.
        mutating func take(_ signed: SignedToken) {
            let digest = signed.account.digest
            if let token {
                if tokenSigned > signed.signed { return }
                if tokenSigned == signed.signed, !token.lexicographicallyPrecedes(digest) { return }
            }
            token = digest
            tokenSigned = signed.signed
        }
    }

    /// Binds an original transaction to the account that signed data names, and to the first account that submits it.
    ///
    /// - Parameters:
    ///   - line: The original transaction identifier.
    ///   - token: The `appAccountToken` that signed data contains; nil for none.
    ///   - account: The account that submits the purchase; nil for notifications.
    /// - Returns: Whether the purchase belongs to another account than the one that submits it.
    func claim(
        _ line: String, namedBy token: SignedToken?, for account: Account?, _ database: Database
    ) throws -> Bool {
        guard token != nil || account != nil else { return false }
        let known = try owner(of: line, database) ?? AccountBinding()
        var owner = known
        if let token { owner.take(token) }
        let isReplay: Bool
        if let account, account.isUUID, let named = owner.token {
            isReplay = named != account.digest
        } else {
            isReplay = account.map { known.account ?? $0.digest != $0.digest } ?? false
        }
        if !isReplay { owner.account = known.account ?? account?.digest }
        if owner != known { try write(owner, line, database) }
        return isReplay
    }

    private func owner(of line: String, _ database: Database) throws -> AccountBinding? {
        let row = try Row.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT app_account_token, token_signed, account FROM line_owners
                    WHERE app = ? AND environment = ? AND line = ?
                    """),
            arguments: [scope.app, scope.environment, line])
        return row.map {
            AccountBinding(
                token: Data.fromDatabaseValue($0[0]), tokenSigned: Int64.fromDatabaseValue($0[1]) ?? 0,
                account: Data.fromDatabaseValue($0[2]))
        }
    }

    private func write(_ owner: AccountBinding, _ line: String, _ database: Database) throws {
        try database.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO line_owners (app, environment, line, app_account_token, token_signed, account)
                VALUES (?, ?, ?, ?, ?, ?)
                """
        ).execute(
            arguments: [scope.app, scope.environment, line, owner.token, owner.tokenSigned, owner.account])
    }
}
#endif
