#if Server
import AppReceiptFoundation
import Crypto

/// Creates accounts from the names that clients submit.
struct Accounts: Sendable {
    private static let keyBytes = 32
    private let key: SymmetricKey

    /// A key for a new store.
    static var newKey: Data {
        let key = SymmetricKey(size: SymmetricKeySize(bitCount: keyBytes * 8))
        return unsafe key.withUnsafeBytes { unsafe Data($0) }
    }

    /// - Parameter key: The store's key.
    /// - Throws: `damaged` if it has the wrong length.
    init(key: Data) throws(StoreError) {
        guard key.count == Self.keyBytes else { throw .damaged }
        self.key = SymmetricKey(data: key)
    }

    /// The account with this name; nil if there is no name. UUIDs are compared without regard to case.
    func account(_ name: String?) -> Account? {
        guard let name, !name.isEmpty else { return nil }
        if Self.isUUID(name), let uuid = UUID(uuidString: name) { return account(uuid) }
        return Account(digest: digest(name), isUUID: false)
    }

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

    /// The account with this `appAccountToken`.
    func account(_ token: UUID) -> Account { Account(digest: digest(token.uuidString.lowercased()), isUUID: true) }

    private func digest(_ name: String) -> Data {
        Data(HMAC<SHA256>.authenticationCode(for: Data(name.utf8), using: key))
    }
}

/// An account of a customer, as a keyed digest. Accounts can be compared but not identified.
struct Account: Sendable, Hashable {
    /// HMAC-SHA256 under a key that never leaves the database.
    let digest: Data
    /// Whether its name is a UUID, which can be compared with an `appAccountToken`.
    let isUUID: Bool
}
#endif
