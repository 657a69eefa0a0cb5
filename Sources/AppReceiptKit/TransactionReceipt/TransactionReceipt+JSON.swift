import AppReceiptParsing
package import AppReceiptSupport

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
        var values = JSONObject()
        for entry in info.entries { values[entry.key] = .string(entry.value) }
        writer.member("purchaseInfo", .object(values))
    }
}
