public import AppReceiptFoundation
public import AppReceiptKit

/// A transaction receipt to sign: one purchase in a property list. The defaults are those of a sandbox receipt from
/// 2015 with a signature of version 2, and every part can be changed.
///
/// ```swift
/// let receipt = TestTransactionReceipt("com.example.pro", transaction: "1000000180636226")
/// let text = try receipt.signed()
/// let later = try receipt.with { $0.version = 3 }.signed()
/// ```
public struct TestTransactionReceipt: TestValue, Hashable {
    /// A key and a value of a property list.
    public struct Entry: Sendable, Hashable {
        /// The key.
        public var key: String
        /// The value.
        public var value: String

        /// Creates an entry.
        public init(key: String, value: String) {
            self.key = key
            self.value = value
        }
    }

    /// The signed entries, in the order in which they are written.
    public var purchaseInfo: [Entry]
    /// The unsigned entries of the outer property list, in addition to signature and purchase info.
    public var unsignedEntries = [
        Entry(key: "environment", value: "Sandbox"), Entry(key: "pod", value: "100"),
        Entry(key: "signing-status", value: "0"),
    ]
    /// A signed text that replaces ``purchaseInfo``.
    public var purchaseInfoText: [UInt8]?
    /// A message that the signature covers instead of version and signed text.
    public var signedMessage: [UInt8]?
    /// The version in the signature: 2 until May 2016, 3 since.
    public var version: UInt8 = 2
    /// A certificate that replaces the signer's in the signature.
    public var certificate: [UInt8]?
    /// The certificate length in the signature. Nil for the actual length.
    public var certificateLength: UInt32?
    /// Bytes after the certificate in the signature.
    public var trailingBytes: [UInt8] = []

    /// Creates the receipt of a purchase.
    ///
    /// - Parameters:
    ///   - productIdentifier: The product.
    ///   - transaction: The identifier of the transaction, which is also the original transaction.
    ///   - date: The purchase date. Default: 2015-11-18T04:34:41Z.
    ///   - expirationDate: The expiration date of a subscription. Nil for other products.
    ///   - bundleIdentifier: The app's bundle identifier.
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
            Entry(key: "purchase-date-ms", value: milliseconds(date)),
            Entry(key: "original-purchase-date-ms", value: milliseconds(date)),
            Entry(key: "unique-identifier", value: "dd0e33ebf56bb1f3ad4c2dbaa7a0b33ac68b0e85"),
            Entry(key: "original-transaction-id", value: transaction), Entry(key: "transaction-id", value: transaction),
            Entry(key: "bvrs", value: "1"),
            Entry(key: "item-id", value: "1028950797"), Entry(key: "product-id", value: productIdentifier),
            Entry(key: "purchase-date", value: civil(date)),
            Entry(key: "original-purchase-date", value: civil(date)), Entry(key: "bid", value: bundleIdentifier),
            Entry(key: "quantity", value: "1"),
        ]
        if let expirationDate {
            purchaseInfo.append(Entry(key: "expires-date", value: milliseconds(expirationDate)))
            purchaseInfo.append(Entry(key: "expires-date-formatted", value: civil(expirationDate)))
        }
    }

    /// The value of a signed entry. Setting it to nil removes the entry.
    public subscript(key: String) -> String? {
        get { purchaseInfo.first { $0.key == key }?.value }
        set {
            let position = purchaseInfo.firstIndex { $0.key == key }
            switch (position, newValue) {
            case (let position?, let value?): purchaseInfo[position].value = value
            case (let position?, nil): purchaseInfo.remove(at: position)
            case (nil, let value?): purchaseInfo.append(Entry(key: key, value: value))
            case (nil, nil): break
            }
        }
    }

    /// Signs the property list as the App Store does. Apps send this text as base64.
    ///
    /// - Parameter pki: The root, intermediate and signer. Default: that of the ``version``,
    ///   `TestPKI.transactionReceipts` or `TestPKI.transactionReceiptsVersion3`.
    /// - Returns: The text of the property list.
    /// - Throws: `test-key-malformed` if a key can't be read.
    public func signed(by pki: TestPKI? = nil) throws(ReceiptError) -> [UInt8] {
        let pki = pki ?? (version == 3 ? .transactionReceiptsVersion3 : .transactionReceipts)
        let info = purchaseInfoText ?? Self.propertyList(purchaseInfo)
        let signature = try pki.signer.key.signature(for: signedMessage ?? [version] + info, digest: .sha1)
        let certificate = if let certificate { certificate } else { try pki.signer.der() }
        let length = certificateLength ?? UInt32(certificate.count)
        let lengthOctets = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) }
        let blob = [version] + signature + lengthOctets + certificate + trailingBytes
        return Self.propertyList(
            [
                Entry(key: "signature", value: Data(blob).base64EncodedString()),
                Entry(key: "purchase-info", value: Data(info).base64EncodedString()),
            ] + unsignedEntries)
    }

    /// Encodes a property list with quoted keys and values, one entry per line. Quotation marks and backslashes are
    /// escaped.
    ///
    /// - Parameter entries: The entries.
    /// - Returns: The text.
    public static func propertyList(_ entries: [Entry]) -> [UInt8] {
        let lines = entries.map { "\t\(quoted($0.key)) = \(quoted($0.value));\n" }
        return Array("{\n\(lines.joined())}".utf8)
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined() + "\""
    }
}
