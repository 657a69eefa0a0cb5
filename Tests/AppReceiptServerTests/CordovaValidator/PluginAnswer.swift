#if Server
import AppReceiptKit
import AppReceiptSupport
import Foundation
import Testing

/// An answer as cordova-plugin-purchase 13.16 and newer reads it: what it checks, and when it takes a product as owned.
struct PluginAnswer {
    let data: AppStoreJSON
    private let now: Date

    /// - Throws: If the plugin would call `unverified`.
    init(_ document: AppStoreJSON, at now: Date = Date()) throws {
        #expect(document["ok"] == true)
        let data = try #require(document["data"])
        _ = try #require(data["id"]?.string)
        _ = try #require(data["transaction"]?["type"]?.string)
        self.data = data
        self.now = now
        for element in elements {
            _ = try #require(element["id"]?.string)
            for name in ["purchaseDate", "expiryDate", "lastRenewalDate"] {
                #expect(element[name] == nil || element[name]?.number?.int64 != nil)
            }
        }
    }

    var elements: [AppStoreJSON] { data["collection"]?.array ?? [] }

    /// The element of a product; of several, the one with the latest purchase date.
    func element(_ product: String) -> AppStoreJSON? {
        var (found, date): (AppStoreJSON?, Int64) = (nil, 0)
        for element in elements where element["id"]?.string == product {
            let other = element["purchaseDate"]?.number?.int64 ?? 1
            if date < other { (found, date) = (element, element["purchaseDate"]?.number?.int64 ?? 0) }
        }
        return found
    }

    func owns(_ product: String) -> Bool {
        guard let element = element(product), element["isExpired"] != true else { return false }
        guard let expiry = element["expiryDate"]?.number?.int64, expiry != 0 else { return true }
        return Double(expiry) > now.timeIntervalSince1970 * 1000
    }
}
#endif
