import AppReceiptKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The answer for a transaction receipt from before iOS 7, after its status, in the shape that such receipts have:
/// `receipt` is flat, all of it strings, and mirrors the purchase info. Clients tell it by `bid`.
///
/// For a subscription that goes on, `latest_receipt_info` is the same object and `latest_receipt` the receipt itself; for
/// one that has ended, `latest_expired_receipt_info` is. Whether it was renewed since, the receipt does not know.
struct TransactionReceiptAnswer {
    let members: [JSONObject.Member]
    /// Whether it is a subscription that has ended.
    let isExpired: Bool

    /// - Parameters:
    ///   - receipt: proven.
    ///   - submitted: its bytes.
    init(_ receipt: TransactionReceipt, submitted: ArraySlice<UInt8>, now: Date) {
        isExpired = receipt.expirationDate.map { $0 <= now } ?? false
        let info = Self.mirror(receipt.info)
        var members = AnswerMembers(capacity: 4)
        members.add("environment", text: receipt.environment?.answerName)
        members.add("receipt", info)
        if isExpired {
            members.add("latest_expired_receipt_info", info)
        } else if receipt.expirationDate != nil {
            members.add("latest_receipt_info", info)
            members.add("latest_receipt", text: Data(submitted).base64EncodedString())
        }
        self.members = members.members
    }

    /// The purchase info with the names of JSON, in its order. Of two keys that become the same name the last counts.
    private static func mirror(_ info: StringPropertyList) -> JSONValue {
        var object = JSONObject()
        for (key, value) in info.entries {
            object[String(key.map { $0 == "-" ? "_" : $0 })] = .string(value)
        }
        return .object(object)
    }
}
