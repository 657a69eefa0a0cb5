import AppReceiptKit

#if canImport(ClassicMethod)
import ClassicMethod
#endif

/// Sums over all fields of a receipt, which show that every field was decoded and make two parsers comparable.
struct Totals: Hashable {
    var textBytes = 0
    var dateSeconds = 0
    var numbers: UInt64 = 0
    var octets = 0
    var purchases = 0

    init() {}

    init(_ receipt: AppReceipt) {
        add(receipt.environment?.rawValue)
        add(receipt.bundleIdentifier)
        add(receipt.appVersion)
        add(receipt.originalAppVersion)
        add(receipt.ageRating)
        for date in [
            receipt.transactionDate, receipt.creationDate, receipt.originalPurchaseDate, receipt.expirationDate,
        ] { add(date?.timeIntervalSince1970) }
        numbers &+= (receipt.appStoreIdentifier ?? 0) &+ (receipt.developerIdentifier ?? 0)
        numbers &+= (receipt.downloadIdentifier ?? 0) &+ (receipt.versionExternalIdentifier ?? 0)
        numbers &+= (receipt.fulfillmentToolVersion ?? 0) &+ (receipt.operatingSystemVersion ?? 0)
        numbers &+= (receipt.deviceModelCode ?? 0) &+ (receipt.platformCode ?? 0)
        octets += (receipt.opaqueValue?.count ?? 0) + (receipt.deviceHash?.count ?? 0)
        purchases += receipt.purchases.count
        for purchase in receipt.purchases { add(purchase) }
    }

    private mutating func add(_ purchase: InAppPurchase) {
        add(purchase.productIdentifier)
        add(purchase.transactionIdentifier)
        add(purchase.originalTransactionIdentifier)
        add(purchase.purchaseDate?.timeIntervalSince1970)
        add(purchase.originalPurchaseDate?.timeIntervalSince1970)
        add(purchase.expirationDate?.timeIntervalSince1970)
        add(purchase.cancellationDate?.timeIntervalSince1970)
        numbers &+= UInt64(purchase.quantity ?? 0) &+ UInt64(purchase.productType?.rawValue ?? 0)
        numbers &+= (purchase.productStoreIdentifier ?? 0) &+ (purchase.webOrderLineItemIdentifier ?? 0)
        numbers &+= purchase.isTrialPeriod == true ? 1 : 0
        numbers &+= purchase.isInIntroductoryOfferPeriod == true ? 1 : 0
    }

    private mutating func add(_ text: String?) { textBytes += text?.utf8.count ?? 0 }

    private mutating func add(_ seconds: Double?) { dateSeconds += Int(seconds ?? 0) }

    static func += (left: inout Totals, right: Totals) {
        left.textBytes += right.textBytes
        left.dateSeconds += right.dateSeconds
        left.numbers &+= right.numbers
        left.octets += right.octets
        left.purchases += right.purchases
    }
}

#if canImport(ClassicMethod)
extension Totals {
    init(_ totals: classic_totals) {
        textBytes = Int(totals.text_bytes)
        dateSeconds = Int(totals.date_seconds)
        numbers = totals.numbers
        octets = Int(totals.octets)
        purchases = Int(totals.purchases)
    }
}
#endif
