#if Server
import AppReceiptFoundation
import AppReceiptSupport
import Crypto

/// The accounts of customers, from the names that the back end sends.
package struct Accounts: Sendable {
    private static let keyBytes = 32
    private let key: SymmetricKey
    /// Whether names are stored as keyed hashes.
    let areHashed: Bool

    /// A key for a new store.
    static var newKey: Data {
        let key = SymmetricKey(size: SymmetricKeySize(bitCount: keyBytes * 8))
        return unsafe key.withUnsafeBytes { unsafe Data($0) }
    }

    /// - Parameters:
    ///   - key: The store's key.
    ///   - areHashed: Whether names are stored as keyed hashes.
    /// - Throws: `damaged` if the key has the wrong length.
    init(key: Data, areHashed: Bool) throws(StoreError) {
        guard key.count == Self.keyBytes else { throw .damaged }
        self.key = SymmetricKey(data: key)
        self.areHashed = areHashed
    }

    /// The account with this name; nil if there is no name. UUIDs are compared without regard to case.
    func account(_ name: String?) -> Account? {
        guard let name, !name.isEmpty, name.isStorable else { return nil }
        return account(named: Self.canonicalName(name))
    }

    /// The spelling of a name that is stored: a UUID in lowercase, another name as it is.
    package static func canonicalName(_ name: String) -> String { isUUID(name) ? name.lowercased() : name }

    /// The account with this `appAccountToken`.
    func account(_ token: UUID) -> Account { account(named: token.uuidString.lowercased()) }

    /// The stored form of a name that is stored as it is.
    func hash(ofStored name: String) -> String { Self.isHash(name) ? name : hash(name) }

    /// Whether a stored text, or what is left of it, is a hash.
    package static func isHash(_ text: String) -> Bool { text.hasPrefix(prefix) }

    private func account(named name: String) -> Account {
        let hash = hash(name)
        return Account(stored: areHashed ? hash : name, hash: hash)
    }

    private func hash(_ name: String) -> String {
        let code = HMAC<SHA256>.authenticationCode(for: Data(name.utf8), using: key)
        return Self.prefix + code.hexadecimal()
    }

    private static let prefix = "hmac-sha256:"

    /// Whether the name is 8-4-4-4-12 hexadecimal digits. Foundation also accepts signs, so that several names would be
    /// one account.
    private static func isUUID(_ name: String) -> Bool {
        name.utf8.count == 36
            && name.utf8.enumerated().allSatisfy { index, byte in
                switch index {
                case 8, 13, 18, 23: byte == 0x2D
                default:
                    switch byte {
                    case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
                    default: false
                    }
                }
            }
    }
}

/// An account of a customer.
struct Account: Sendable, Hashable {
    /// The text that is stored: the name, or its hash.
    let stored: String
    /// HMAC-SHA256 of the name under a key that never leaves the database.
    let hash: String

    /// Whether a stored text is this account. A store that hashed accounts earlier contains both forms.
    func matches(_ text: String) -> Bool { text == stored || text == hash }
}
#endif
