import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing

/// Apple's rule for `Transaction.currentEntitlements`: neither revoked, nor upgraded, nor expired.
@Suite("Entitlements and StoreKit's current entitlements")
struct CurrentEntitlementsTests {
    private static let types: [SignedProductType] = [
        .autoRenewableSubscription, .nonConsumable, SignedProductType(rawValue: "Subscription Suite"),
    ]

    /// A random transaction around a date, as the App Store could sign it.
    private static func transaction(_ date: Date, _ generator: inout SeededGenerator) -> TestTransaction {
        let hour: Double = 3600
        let type = types.randomElement(using: &generator) ?? .nonConsumable
        let start = date.addingTimeInterval(Double(Int.random(in: -900...40, using: &generator)) * hour)
        let length = Double([72, 168, 720, 8760].randomElement(using: &generator) ?? 720) * hour
        let isFirst = type == .nonConsumable || Bool.random(using: &generator)
        return TestTransaction(
            "plus", transaction: isFirst ? "1" : "2", original: "1", at: start,
            until: type == .nonConsumable ? nil : start.addingTimeInterval(length)
        ).with {
            $0.productType = type
            $0.signedDate = min(start, date).addingTimeInterval(
                -Double(Int.random(in: 0...3, using: &generator)) * hour)
            $0.originalPurchaseDate = isFirst ? start : start.addingTimeInterval(-length)
            if Bool.random(using: &generator) { $0.revocationDate = date.addingTimeInterval(-hour) }
            if type != .nonConsumable, Bool.random(using: &generator) { $0.overrides["isUpgraded"] = true }
            if Bool.random(using: &generator) {
                $0.overrides["transactionReason"] = isFirst ? "PURCHASE" : "RENEWAL"
            }
            if Bool.random(using: &generator) { $0.ownership = .familyShared }
        }
    }

    @Test(
        "One token alone never results in less access than StoreKit's rule, except before a period that is the first or begins after a day"
    )
    func access() throws {
        let date = moment("2024-07-15")
        var generator = SeededGenerator(seed: 47)
        var accessCount = 0
        for round in 0..<400 {
            let transaction = Self.transaction(date, &generator)
            let isCurrent =
                transaction.revocationDate == nil && transaction.overrides["isUpgraded"] == nil
                && transaction.expirationDate.map { $0 > date } ?? true
            // Rule 7 of WhatACustomerOwns names why access isn't proven yet.
            let isLater = transaction.purchaseDate > date
            let isFirst = transaction.transactionIdentifier == "1"
            let isExcepted = isLater && (isFirst || transaction.purchaseDate > date.addingTimeInterval(25 * 3600))
            let evidence = Evidence(transactions: [try Evidence.verified(transaction)])
            let plus = evidence.entitlements(at: "2024-07-15")["plus"]
            #expect(plus?.isActive == (isCurrent && !isExcepted), "round \(round): \(transaction.members)")
            if plus?.isActive == true { accessCount += 1 }
        }
        #expect(accessCount > 50)
    }
}
