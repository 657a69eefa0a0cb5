import AppReceiptKit
import AppReceiptSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the bytes of a transaction receipt from before iOS 7 say (`SKPaymentTransaction.transactionReceipt`): one
/// purchase, in a property list. Proven by `TransactionReceiptTrust` or by nobody; it never becomes a `VerifiedReceipt`.
///
/// The outer list holds the signature, the purchase info that it covers, and beside these what nobody signed.
struct TransactionReceipt {
    /// What is signed: the inner list, as bytes.
    let signedInfo: [UInt8]
    /// The same, read.
    let info: StringPropertyList
    let signature: SignatureBlob
    /// When it was bought, at which the certificates are judged.
    let purchaseDate: Date
    /// When the subscription ends, nil for what is none.
    let expirationDate: Date?
    /// What the outer list says of where it comes from. Nobody signed that.
    let claimedEnvironment: String?

    /// Genuine ones have less than 3 KB.
    static let maxBytes = 64 << 10

    init(parsing text: ArraySlice<UInt8>) throws(ReceiptError) {
        guard text.count <= Self.maxBytes else { throw ReceiptError(.transactionReceiptTooLarge) }
        let outer = try StringPropertyList(parsing: text)
        signature = try SignatureBlob(Self.octets("signature", in: outer)[...])
        signedInfo = try Self.octets("purchase-info", in: outer)
        do throws(ReceiptError) {
            info = try StringPropertyList(parsing: signedInfo[...])
        } catch {
            // Counted from its own beginning, it would name a byte of the outer list.
            throw ReceiptError(error.code, "In the purchase info: \(error.message)")
        }
        let key = info["purchase-date-ms"] == nil ? "purchase-date" : "purchase-date-ms"
        guard let date = try Self.date(key, in: info) else { throw ReceiptError(.transactionReceiptDateMalformed) }
        purchaseDate = date
        // Milliseconds, although its name does not say so.
        expirationDate = try Self.date("expires-date", in: info)
        claimedEnvironment = outer["environment"]
    }

    var bundleIdentifier: String? { info["bid"] }

    /// Production, sandbox, or nil for unknown.
    ///
    /// The signed info decides: only production receipts contain the app's number in the App Store. The outer list isn't signed, so it can
    /// only contradict: a receipt that claims the sandbox and contains the number is of neither, because the environment selects the
    /// refunds that are known.
    var environment: ReceiptEnvironment.Base? {
        switch claimedEnvironment {
        case "Sandbox": isSold ? nil : .sandbox
        case nil, "Production": isSold ? .production : nil
        default: nil
        }
    }

    private var isSold: Bool {
        guard let number = info["app-item-id"].flatMap({ UInt64($0) }) else { return false }
        return number > 0
    }

    private static func octets(_ key: String, in list: StringPropertyList) throws(ReceiptError) -> [UInt8] {
        guard let text = list[key], let octets = try? Base64.decode(Array(text.utf8)[...]) else {
            throw ReceiptError(.transactionReceiptIncomplete)
        }
        return octets
    }

    /// Milliseconds, or `2015-11-18 04:34:41 Etc/GMT`; nil if there is no such key.
    private static func date(_ key: String, in list: StringPropertyList) throws(ReceiptError) -> Date? {
        guard let text = list[key] else { return nil }
        if let date = StoreDate(milliseconds: text)?.date { return date }
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[2] == "Etc/GMT",
            let date = ReceiptDate.date(from: "\(parts[0])T\(parts[1])Z")
        else { throw ReceiptError(.transactionReceiptDateMalformed) }
        return date
    }
}
