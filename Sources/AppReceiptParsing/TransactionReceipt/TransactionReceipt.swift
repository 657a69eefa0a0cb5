public import AppReceiptFoundation
package import AppReceiptSupport

/// The unverified contents of a transaction receipt: one purchase, in a property list.
///
/// Apps from before iOS 7 sent it (`SKPaymentTransaction.transactionReceipt`), and some libraries did until about 2020.
/// The outer list contains the signature, the signed purchase info, and unsigned values. `ReceiptVerifier` of
/// AppReceiptKit verifies it.
public struct TransactionReceipt: Sendable, Hashable {
    /// The purchase. The receipt contains neither the product's type nor a refund.
    public let purchase: InAppPurchase

    /// The date of the purchase or renewal, the latest date that is signed. Certificates are validated at this date.
    public let purchaseDate: Date

    /// The environment in the outer list, which isn't signed. Receipts from production don't contain it.
    public let claimedEnvironment: String?

    /// The bytes of the signed inner list.
    package let signedInfo: [UInt8]
    /// The parsed inner list.
    package let info: StringPropertyList
    package let signature: TransactionReceiptSignature

    /// The maximum size of the property list. Genuine ones are smaller than 5 KB.
    static let maxBytes = 64 << 10

    /// Parses a transaction receipt.
    ///
    /// - Parameter bytes: The property list, or base64 of it.
    /// - Throws: An error of the check `input`, `container` or `payload`.
    public init(parsing bytes: some Collection<UInt8>) throws(ReceiptError) {
        try self.init(list: Self.propertyList(in: (bytes as? ArraySlice<UInt8>) ?? Array(bytes)[...]))
    }

    private init(list text: ArraySlice<UInt8>) throws(ReceiptError) {
        guard text.count <= Self.maxBytes else { throw ReceiptError(.transactionReceiptTooLarge) }
        let outer = try StringPropertyList(parsing: text)
        signature = try TransactionReceiptSignature(Self.bytes("signature", in: outer)[...])
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
        purchase = InAppPurchase(
            quantity: info["quantity"].flatMap { Int($0) }, productIdentifier: info["product-id"],
            transactionIdentifier: info["transaction-id"], purchaseDate: date,
            originalTransactionIdentifier: info["original-transaction-id"],
            originalPurchaseDate: Self.originalPurchaseDate(in: info),
            // Milliseconds, although the name has no suffix.
            expirationDate: try Self.date("expires-date", in: info),
            productStoreIdentifier: info["item-id"].flatMap { UInt64($0) },
            webOrderLineItemIdentifier: info["web-order-line-item-id"].flatMap { UInt64($0) })
        claimedEnvironment = outer["environment"]
    }

    /// The app's bundle identifier.
    public var bundleIdentifier: String? { info["bid"] }

    /// The app's version.
    public var appVersion: String? { info["bvrs"] }

    /// The app's identifier in the App Store. It doesn't prove that the purchase is from production: the sandbox has it
    /// too.
    public var appStoreIdentifier: UInt64? { info["app-item-id"].flatMap { UInt64($0) } }

    /// The version of the signature: 2 until May 2016, 3 since.
    public var signatureVersion: Int { Int(signature.version.rawValue) }

    /// Production, sandbox, or nil for unknown.
    ///
    /// The signed transaction identifiers determine it: those of the sandbox have 16 digits and begin with 1000 or
    /// 2000. The outer list isn't signed, so it can only move a purchase from production to the sandbox. Otherwise
    /// anyone could make a sandbox purchase count as production by deleting a line. A receipt without a readable
    /// transaction identifier is never from production.
    public var environment: AppStoreEnvironment? {
        let identifiers = [purchase.transactionIdentifier, purchase.originalTransactionIdentifier].compactMap { $0 }
        if identifiers.contains(where: Self.isOfSandbox) || claimedEnvironment == "Sandbox" { return .sandbox }
        guard claimedEnvironment == nil || claimedEnvironment == "Production", purchase.transactionIdentifier != nil,
            identifiers.allSatisfy(Self.isTransactionIdentifier)
        else { return nil }
        return .production
    }

    /// The name of the environment for messages: the one that is determined, or the unknown one in the outer list.
    package var environmentName: String? {
        switch environment {
        case .production: "Production"
        case .sandbox: "Sandbox"
        case .xcode, nil: claimedEnvironment
        }
    }

    private static func isOfSandbox(_ identifier: String) -> Bool {
        isTransactionIdentifier(identifier) && identifier.utf8.count == 16
            && ["1000", "2000"].contains { identifier.utf8.starts(with: $0.utf8) }
    }

    /// Whether the text is a number without leading zeros.
    private static func isTransactionIdentifier(_ text: String) -> Bool {
        (1...20).contains(text.utf8.count) && text.utf8.first != UInt8(ascii: "0")
            && text.utf8.allSatisfy(\.isASCIIDigit)
    }

    private static func propertyList(in bytes: ArraySlice<UInt8>) throws(ReceiptError) -> ArraySlice<UInt8> {
        // Base64 of the largest list has a third more bytes, and line breaks.
        guard bytes.count <= 2 * maxBytes else { throw ReceiptError(.transactionReceiptTooLarge) }
        let text = bytes.withoutByteOrderMark.drop(while: Base64.isWhitespace)
        if ReceiptInput.isTransactionReceipt(text) { return text }
        guard let decoded = try? Base64.decode(text), ReceiptInput.isTransactionReceipt(decoded[...]) else {
            throw ReceiptError(.inputUnrecognized, "The input isn't a property list of a transaction receipt.")
        }
        return decoded[...]
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
        if let date = date(milliseconds: text) { return date }
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[2] == "Etc/GMT",
            let date = ReceiptDate.date(from: "\(parts[0])T\(parts[1])Z")
        else { throw ReceiptError(.transactionReceiptDateMalformed) }
        return date
    }

    /// Returns the date of the original transaction; nil if it is malformed, because nothing that grants access depends
    /// on it.
    private static func originalPurchaseDate(in list: StringPropertyList) -> Date? {
        let key = list["original-purchase-date-ms"] == nil ? "original-purchase-date" : "original-purchase-date-ms"
        return try? date(key, in: list)
    }

    private static func date(milliseconds text: String) -> Date? {
        guard (1...15).contains(text.utf8.count), text.utf8.allSatisfy(\.isASCIIDigit),
            let milliseconds = Int64(text)
        else { return nil }
        return Date(timeIntervalSince1970: Double(min(milliseconds, latestMilliseconds)) / 1000)
    }

    /// The end of the year 9999.
    private static let latestMilliseconds: Int64 = 253_402_300_799_999
}

extension TransactionReceipt: CustomStringConvertible {
    /// The app, without anything about the customer.
    public var description: String { "TransactionReceipt(\(bundleIdentifier ?? "no bundle identifier"))" }
}

extension TransactionReceipt {
    /// The member `kind` of reports on transaction receipts.
    package static let kind = "transaction-receipt"

    /// Writes the members under the names of an app receipt.
    ///
    /// - Parameters:
    ///   - writer: The document, in an open object.
    ///   - includesAttributes: Whether to write every value of the purchase info.
    package func write(to writer: inout JSONWriter, attributes includesAttributes: Bool) {
        writer.memberIfPresent("environment", environmentName)
        writer.memberIfPresent("appStoreIdentifier", digits: appStoreIdentifier)
        writer.memberIfPresent("bundleIdentifier", bundleIdentifier)
        writer.memberIfPresent("appVersion", appVersion)
        writer.member("signatureVersion", number: signatureVersion)
        writer.openArray("purchases")
        writer.element { purchase.write(to: &$0, attributes: false) }
        writer.closeArray()
        guard includesAttributes else { return }
        var values = AppStoreJSON.Object()
        for entry in info.entries { values[entry.key] = .string(entry.value) }
        writer.member("purchaseInfo", .object(values))
    }
}
