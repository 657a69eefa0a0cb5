import AppReceiptParsing

/// The claimed contents of a receipt, for a support tool. Nothing is verified.
func summary(of bytes: [UInt8]) throws(ReceiptError) -> String {
    let receipt = try AppReceipt(parsing: bytes)
    let products = receipt.purchases.compactMap(\.productIdentifier)
    return "\(receipt.bundleIdentifier ?? "no app"): \(products.joined(separator: ", "))"
}
