import AppReceiptKit

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A transaction receipt from before iOS 7 to be made: one purchase in a property list, signed as a whole. The defaults
/// are those of a sandbox receipt from 2015; everything can be changed.
///
/// ```swift
/// let receipt = TestTransactionReceipt("com.example.pro", transaction: "1000000180636226")
/// let text = try receipt.signed()
/// ```
public struct TestTransactionReceipt: Sendable, Hashable {
    /// A key of a property list and its value.
    public struct Entry: Sendable, Hashable {
        /// The key.
        public var key: String
        /// The value.
        public var value: String

        /// An entry.
        public init(_ key: String, _ value: String) {
            self.key = key
            self.value = value
        }
    }

    /// The signed part, in the order in which it is written.
    public var purchaseInfo: [Entry]
    /// The unsigned entries of the outer list, beside signature and purchase info.
    public var unsignedEntries = [Entry("environment", "Sandbox"), Entry("pod", "100"), Entry("signing-status", "0")]
    /// The signed text in place of what ``purchaseInfo`` gives.
    public var purchaseInfoText: [UInt8]?
    /// What the signature covers in place of version and signed text.
    public var signedMessage: [UInt8]?
    /// The version in the signature.
    public var version: UInt8 = 2
    /// The certificate that the signature carries in place of the signer's.
    public var certificate: [UInt8]?
    /// The length of the certificate that the signature names; nil for its own.
    public var certificateLength: UInt32?
    /// What follows the certificate in the signature.
    public var trailingBytes: [UInt8] = []

    /// The receipt of a purchase.
    ///
    /// - Parameters:
    ///   - productIdentifier: what was bought.
    ///   - transaction: the identifier of the transaction, which is its own original.
    ///   - date: when. Default: 2015-11-18T04:34:41Z.
    ///   - expirationDate: when the subscription ends, nil for what is none.
    ///   - bundleIdentifier: the app.
    public init(
        _ productIdentifier: String, transaction: String,
        at date: Date = Date(timeIntervalSince1970: 1_447_821_281),
        expirationDate: Date? = nil, bundleIdentifier: String = "com.example.app"
    ) {
        let milliseconds = { (date: Date) in String(Int64((date.timeIntervalSince1970 * 1000).rounded())) }
        let civil = { (date: Date) in
            let text = ReceiptDate.string(from: date)
            return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8)) Etc/GMT"
        }
        purchaseInfo = [
            Entry("purchase-date-ms", milliseconds(date)), Entry("original-purchase-date-ms", milliseconds(date)),
            Entry("unique-identifier", "dd0e33ebf56bb1f3ad4c2dbaa7a0b33ac68b0e85"),
            Entry("original-transaction-id", transaction), Entry("transaction-id", transaction), Entry("bvrs", "1"),
            Entry("item-id", "1028950797"), Entry("product-id", productIdentifier), Entry("purchase-date", civil(date)),
            Entry("original-purchase-date", civil(date)), Entry("bid", bundleIdentifier), Entry("quantity", "1"),
        ]
        if let expirationDate {
            purchaseInfo.append(Entry("expires-date", milliseconds(expirationDate)))
            purchaseInfo.append(Entry("expires-date-formatted", civil(expirationDate)))
        }
    }

    /// The same with something changed.
    public func with(_ change: (inout TestTransactionReceipt) -> Void) -> TestTransactionReceipt {
        var changed = self
        change(&changed)
        return changed
    }

    /// The value of a key of the signed part; setting it to nil takes the key away.
    public subscript(key: String) -> String? {
        get { purchaseInfo.first { $0.key == key }?.value }
        set {
            let position = purchaseInfo.firstIndex { $0.key == key }
            switch (position, newValue) {
            case (let position?, let value?): purchaseInfo[position].value = value
            case (let position?, nil): purchaseInfo.remove(at: position)
            case (nil, let value?): purchaseInfo.append(Entry(key, value))
            case (nil, nil): break
            }
        }
    }

    /// The property list as the store writes it: text, which apps send in base64.
    public func signed(by pki: TestPKI = .transactionReceipts) throws -> [UInt8] {
        let info = purchaseInfoText ?? Self.propertyList(purchaseInfo)
        let signature = try pki.signer.key.signature(over: signedMessage ?? [version] + info, .sha1)
        let certificate = try certificate ?? pki.signer.der()
        let length = certificateLength ?? UInt32(certificate.count)
        let lengthOctets = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) }
        let blob = [version] + signature + lengthOctets + certificate + trailingBytes
        return Self.propertyList(
            [
                Entry("signature", Data(blob).base64EncodedString()),
                Entry("purchase-info", Data(info).base64EncodedString()),
            ] + unsignedEntries)
    }

    /// Quoted keys and values, a line each; quotation marks and reverse solidi escaped.
    public static func propertyList(_ entries: [Entry]) -> [UInt8] {
        let lines = entries.map { "\t\(quoted($0.key)) = \(quoted($0.value));\n" }
        return Array("{\n\(lines.joined())}".utf8)
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined() + "\""
    }
}
