import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import Foundation
import Testing
import VerifyReceipt

@Suite("AppReceiptResponse")
struct AppReceiptResponseTests {
    /// An app from production with a consumable and an upgraded subscription.
    static let garden = TestReceipt(bundleIdentifier: "com.example.garden").with { receipt in
        receipt.environment = .production
        receipt.appStoreIdentifier = 6_400_000_001
        receipt.appVersion = "412"
        receipt.downloadIdentifier = 502_000_000_000_000_001
        receipt.versionExternalIdentifier = 880_000_001
        receipt.originalPurchaseDate = instant("2022-01-10T20:30:00Z")
        receipt.originalAppVersion = "268"
        receipt.purchases = [
            TestPurchase(
                "com.example.garden.seeds100", transaction: "550000000000003", at: instant("2024-07-02T15:04:03Z"),
                type: .consumable),
            TestPurchase(
                subscription: "com.example.garden.plus.yearly", transaction: "550000000000002",
                original: "550000000000001", from: instant("2024-01-15T09:00:00Z"), to: instant("2025-01-15T09:00:00Z")
            ).with {
                $0.originalPurchaseDate = instant("2023-12-15T09:00:02Z")
                $0.webOrderLineItemIdentifier = 550_000_000_000_102
            },
        ]
    }

    @Test("A response equals Apple's character by character, except for members that a receipt doesn't contain")
    func example() throws {
        let bytes = try Self.garden.signed()
        let response = try VerifyReceiptResponder.standard(.production).response(to: request(bytes), now: requestDate)
        let seeds = """
            {
                    "quantity" : "1",
                    "product_id" : "com.example.garden.seeds100",
                    "transaction_id" : "550000000000003",
                    "original_transaction_id" : "550000000000003",
                    "purchase_date" : "2024-07-02 15:04:03 Etc/GMT",
                    "purchase_date_ms" : "1719932643000",
                    "purchase_date_pst" : "2024-07-02 08:04:03 America/Los_Angeles",
                    "original_purchase_date" : "2024-07-02 15:04:03 Etc/GMT",
                    "original_purchase_date_ms" : "1719932643000",
                    "original_purchase_date_pst" : "2024-07-02 08:04:03 America/Los_Angeles",
                    "is_trial_period" : "false"
                  }
            """
        let yearly = """
            {
                    "quantity" : "1",
                    "product_id" : "com.example.garden.plus.yearly",
                    "transaction_id" : "550000000000002",
                    "original_transaction_id" : "550000000000001",
                    "purchase_date" : "2024-01-15 09:00:00 Etc/GMT",
                    "purchase_date_ms" : "1705309200000",
                    "purchase_date_pst" : "2024-01-15 01:00:00 America/Los_Angeles",
                    "original_purchase_date" : "2023-12-15 09:00:02 Etc/GMT",
                    "original_purchase_date_ms" : "1702630802000",
                    "original_purchase_date_pst" : "2023-12-15 01:00:02 America/Los_Angeles",
                    "expires_date" : "2025-01-15 09:00:00 Etc/GMT",
                    "expires_date_ms" : "1736931600000",
                    "expires_date_pst" : "2025-01-15 01:00:00 America/Los_Angeles",
                    "web_order_line_item_id" : "550000000000102",
                    "is_trial_period" : "false",
                    "is_in_intro_offer_period" : "false"
                  }
            """
        let expected = """
            {
              "status" : 0,
              "environment" : "Production",
              "receipt" : {
                "receipt_type" : "Production",
                "adam_id" : 6400000001,
                "app_item_id" : 6400000001,
                "bundle_id" : "com.example.garden",
                "application_version" : "412",
                "download_id" : 502000000000000001,
                "version_external_identifier" : 880000001,
                "receipt_creation_date" : "2024-07-02 15:04:05 Etc/GMT",
                "receipt_creation_date_ms" : "1719932645000",
                "receipt_creation_date_pst" : "2024-07-02 08:04:05 America/Los_Angeles",
                "request_date" : "2024-07-03 00:00:00 Etc/GMT",
                "request_date_ms" : "1719964800250",
                "request_date_pst" : "2024-07-02 17:00:00 America/Los_Angeles",
                "original_purchase_date" : "2022-01-10 20:30:00 Etc/GMT",
                "original_purchase_date_ms" : "1641846600000",
                "original_purchase_date_pst" : "2022-01-10 12:30:00 America/Los_Angeles",
                "original_application_version" : "268",
                "in_app" : [
                  \(seeds),
                  \(yearly)
                ]
              },
              "latest_receipt_info" : [
                \(seeds.replacingOccurrences(of: "\n  ", with: "\n")),
                \(yearly.replacingOccurrences(of: "\n  ", with: "\n"))
              ],
              "latest_receipt" : "\(Data(bytes).base64EncodedString())"
            }
            """
        #expect(String(decoding: response.json.text(isPretty: true), as: UTF8.self) == expected)
    }

    @Test("The receipt's identifiers are numbers of up to 64 bits, and all other values are strings")
    func types() throws {
        let receipt = Self.garden.with {
            $0.downloadIdentifier = 9_223_372_036_854_775_807
            $0.versionExternalIdentifier = 18_446_744_073_709_551_615
            $0.preorderDate = instant("2021-12-01T00:00:00Z")
        }
        let response = try VerifyReceiptResponder.standard().response(to: receipt)
        let members = try #require(response.json["receipt"]?.object?.members)
        let numbers = members.filter { $0.value.number != nil }
        #expect(numbers.map(\.name) == ["adam_id", "app_item_id", "download_id", "version_external_identifier"])
        #expect(
            numbers.compactMap { $0.value.number?.text } == [
                "6400000001", "6400000001", "9223372036854775807", "18446744073709551615",
            ])
        #expect(members.filter { $0.value.number == nil && $0.value.string == nil }.map(\.name) == ["in_app"])
        #expect(response.json["status"]?.number?.text == "0")
        for purchase in try #require(response.json["receipt"]?["in_app"]?.array) {
            #expect(purchase.object?.members.allSatisfy { $0.value.string != nil } == true)
        }
        #expect(
            members.map(\.name).suffix(5) == [
                "original_application_version", "preorder_date", "preorder_date_ms", "preorder_date_pst", "in_app",
            ])
    }

    @Test("The receipt's members are in Apple's order, and missing values are left out")
    func missing() throws {
        let complete = Self.garden.with {
            $0.preorderDate = instant("2021-12-01T00:00:00Z")
            $0.expirationDate = instant("2025-12-01T00:00:00Z")
        }
        let keys: [(attribute: Int, names: [String])] = [
            (0, ["receipt_type"]), (1, ["adam_id", "app_item_id"]), (2, ["bundle_id"]), (3, ["application_version"]),
            (15, ["download_id"]), (16, ["version_external_identifier"]), (12, Self.dates("receipt_creation_date")),
            (-1, Self.dates("request_date")), (18, Self.dates("original_purchase_date")),
            (19, ["original_application_version"]), (32, Self.dates("preorder_date")),
            (21, Self.dates("expiration_date")), (-1, ["in_app"]),
        ]
        func names(_ receipt: TestReceipt) throws -> [String] {
            try VerifyReceiptResponder.standard().response(to: receipt).json["receipt"]?.names ?? []
        }
        #expect(try names(complete) == keys.flatMap(\.names))
        for key in keys where ![-1, 0, 12].contains(key.attribute) {
            let lacking = complete.with { $0.overrides[key.attribute] = [] }
            #expect(try names(lacking) == keys.flatMap { $0.attribute == key.attribute ? [] : $0.names })
        }
    }

    private static func dates(_ key: String) -> [String] { [key, key + "_ms", key + "_pst"] }

    @Test("Purchases are in the order of the receipt, whatever their dates", arguments: [false, true])
    func orderOfPurchases(_ isReversed: Bool) throws {
        let receipt = TestReceipt().with { receipt in
            receipt.purchases = ["b", "a", "d", "c"].enumerated().map { index, product in
                TestPurchase(product, transaction: "\(index)", at: receipt.creationDate - Double(index * index % 3))
            }
        }
        let members = receipt.attributes.map(\.der)
        let content = DERWriter.set(isReversed ? members.reversed() : members, sorted: false)
        let bytes = try TestContainer(content: content, signedBy: .standard).encoded()
        let response = try VerifyReceiptResponder.standard().response(to: request(bytes), now: requestDate)
        let products = response.json["receipt"]?["in_app"]?.array?.compactMap { $0["product_id"]?.string }
        #expect(products == (isReversed ? ["c", "d", "a", "b"] : ["b", "a", "d", "c"]))
    }

    @Test(
        "Every answer for a receipt with purchases has latest_receipt_info with all of them, and latest_receipt"
    )
    func subscriptions() throws {
        let responder = try VerifyReceiptResponder.standard()
        let without = try responder.response(to: Self.garden.with { $0.purchases = [] })
        #expect(without.json.names == ["status", "environment", "receipt"])
        for type in [InAppPurchase.ProductType.consumable, .nonConsumable, .nonRenewingSubscription] {
            let body = try Self.garden.with { receipt in
                receipt.purchases = [TestPurchase("once", transaction: "1", at: receipt.creationDate, type: type)]
            }.signed()
            for excludesOld in [false, true] {
                let once = responder.response(to: request(body, ["exclude-old-transactions": .boolean(excludesOld)]))
                #expect(
                    once.json.names == ["status", "environment", "receipt", "latest_receipt_info", "latest_receipt"])
                #expect(once.latest == once.inApp)
            }
        }
        let with = try responder.response(to: Self.garden)
        #expect(
            with.json.names == ["status", "environment", "receipt", "latest_receipt_info", "latest_receipt"])
        #expect(with.latest.transactions == ["550000000000003", "550000000000002"])
    }

    @Test("Old transactions are left out of latest_receipt_info on request, never out of in_app")
    func excludesOld() throws {
        let start = instant("2024-01-01T00:00:00Z")
        let receipt = TestReceipt().with { receipt in
            receipt.purchases = (0..<3).map { index in
                TestPurchase(
                    subscription: "monthly", transaction: "\(10 + index)", original: "10",
                    from: start + Double(index) * 86_400, to: start + Double(index + 1) * 86_400)
            }
        }
        let responder = try VerifyReceiptResponder.standard()
        func transactions(_ excludes: Bool, _ path: (AppStoreJSON) -> AppStoreJSON?) throws -> [String] {
            let json = try responder.response(to: receipt, ["exclude-old-transactions": .boolean(excludes)]).json
            return path(json)?.array?.compactMap { $0["transaction_id"]?.string } ?? []
        }
        #expect(try transactions(false) { $0["latest_receipt_info"] } == ["12", "11", "10"])
        #expect(try transactions(true) { $0["latest_receipt_info"] } == ["12"])
        #expect(try transactions(true) { $0["receipt"]?["in_app"] }.sorted() == ["10", "11", "12"])
    }
}
