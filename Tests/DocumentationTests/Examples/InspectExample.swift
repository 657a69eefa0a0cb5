import AppReceiptParsing

/// What a receipt says, for a support tool. Nothing of it is proven.
func summary(of bytes: [UInt8]) throws(ReceiptError) -> String {
    let receipt = try AppReceipt(parsing: bytes)
    let products = receipt.purchases.compactMap(\.productIdentifier)
    return "\(receipt.bundleIdentifier ?? "no app"): \(products.joined(separator: ", "))"
}
