import AppReceiptKit
import AppReceiptSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The unverified contents of a transaction receipt from before iOS 7 (`SKPaymentTransaction.transactionReceipt`): one purchase, in a
/// property list. `TransactionReceiptTrust` verifies it; it never becomes a `VerifiedReceipt`.
///
/// The outer list contains the signature, the signed purchase info, and unsigned values.
struct TransactionReceipt {
    /// The bytes of the signed inner list.
    let signedInfo: [UInt8]
    /// The parsed inner list.
    let info: StringPropertyList
    let signature: SignatureBlob
    /// The purchase date, at which the certificates are validated.
    let purchaseDate: Date
    /// The end of the subscription; nil for other purchases.
    let expirationDate: Date?
    /// The environment in the outer list, which isn't signed.
    let claimedEnvironment: String?

    /// Genuine receipts are smaller than 3 KB.
    static let maxBytes = 64 << 10

    init(parsing text: ArraySlice<UInt8>) throws(ReceiptError) {
        guard text.count <= Self.maxBytes else { throw ReceiptError(.transactionReceiptTooLarge) }
        let outer = try StringPropertyList(parsing: text)
        signature = try SignatureBlob(Self.bytes("signature", in: outer)[...])
        signedInfo = try Self.bytes("purchase-info", in: outer)
        do throws(ReceiptError) {
            info = try StringPropertyList(parsing: signedInfo[...])
        } catch {
            // Without the offset, which counts from the beginning of the inner list.
            throw ReceiptError(error.code, "In the purchase info: \(error.message)")
        }
        let key = info["purchase-date-ms"] == nil ? "purchase-date" : "purchase-date-ms"
        guard let date = try Self.date(key, in: info) else { throw ReceiptError(.transactionReceiptDateMalformed) }
        purchaseDate = date
        // Milliseconds, although the name has no suffix.
        expirationDate = try Self.date("expires-date", in: info)
        claimedEnvironment = outer["environment"]
    }

    var bundleIdentifier: String? { info["bid"] }

    /// Production, sandbox, or nil for unknown.
    ///
    /// The signed info determines it: only production receipts contain the app's App Store identifier. The outer list isn't
    /// signed: if it contradicts the signed info, the environment is unknown. Otherwise an attacker could choose the environment, and
    /// with it the refunds that are known.
    var environment: ReceiptEnvironment.Base? {
        switch claimedEnvironment {
        case "Sandbox": hasAppItemIdentifier ? nil : .sandbox
        case nil, "Production": hasAppItemIdentifier ? .production : nil
        default: nil
        }
    }

    private var hasAppItemIdentifier: Bool {
        guard let number = info["app-item-id"].flatMap({ UInt64($0) }) else { return false }
        return number > 0
    }

    private static func bytes(_ key: String, in list: StringPropertyList) throws(ReceiptError) -> [UInt8] {
        guard let text = list[key], let bytes = try? Base64.decode(Array(text.utf8)[...]) else {
            throw ReceiptError(.transactionReceiptIncomplete)
        }
        return bytes
    }

    /// Parses a date in milliseconds or as `2015-11-18 04:34:41 Etc/GMT`. Returns nil if the key is missing.
    private static func date(_ key: String, in list: StringPropertyList) throws(ReceiptError) -> Date? {
        guard let text = list[key] else { return nil }
        if let date = AppStoreDate(milliseconds: text)?.date { return date }
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[2] == "Etc/GMT",
            let date = ReceiptDate.date(from: "\(parts[0])T\(parts[1])Z")
        else { throw ReceiptError(.transactionReceiptDateMalformed) }
        return date
    }
}
