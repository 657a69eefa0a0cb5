import AppReceiptParsing
import AppReceiptTesting
import Foundation
import Testing

@Suite("Receipts as JSON")
struct CodingTests {
    /// A receipt with every property set.
    static func full() throws -> AppReceipt {
        let date = Date(timeIntervalSince1970: 1_719_932_645)
        let test = TestReceipt().with {
            $0.environment = .productionVPP
            $0.appStoreIdentifier = 18_446_744_073_709_551_615
            $0.developerIdentifier = 9_007_199_254_740_993
            $0.downloadIdentifier = 502_123_456_789_012
            $0.versionExternalIdentifier = 860_000_001
            $0.creationDate = date
            $0.expirationDate = Date(timeIntervalSince1970: 1_735_689_600)
            $0.overrides[20] = [DERWriter.utf8String("x")]
            $0.overrides[22] = [DERWriter.ia5String("2024-07-02T15:04:05.250Z")]
            $0.overrides[23] = [DERWriter.utf8String("Example School")]
            $0.overrides[32] = [DERWriter.ia5String("2024-02-29T12:00:00+01:00")]
            $0.overrides[99] = [[1, 2, 3], []]
            $0.purchases = [
                TestPurchase("com.example.coins", transaction: "1", at: date, type: .consumable),
                TestPurchase(
                    subscription: "com.example.pro", transaction: "3", original: "2", from: date,
                    to: Date(timeIntervalSince1970: 1_722_611_045), isTrial: true
                ).with {
                    $0.cancellationDate = Date(timeIntervalSince1970: 1_720_569_600)
                    $0.isInIntroductoryOfferPeriod = true
                    $0.promotionalOfferIdentifier = "winback"
                    $0.productStoreIdentifier = 6_446_000_001
                    $0.webOrderLineItemIdentifier = 1_000_000_056_789_012
                },
            ]
        }
        return try AppReceipt(parsing: test.signed())
    }

    private func object(_ receipt: AppReceipt, _ encoder: JSONEncoder = JSONEncoder()) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: encoder.encode(receipt)) as? [String: Any])
    }

    // MARK: Round trip

    @Test("Decoding an encoded receipt results in an equal receipt with equal attributes")
    func roundTrip() throws {
        let receipt = try Self.full()
        let back = try JSONDecoder().decode(AppReceipt.self, from: JSONEncoder().encode(receipt))
        #expect(back == receipt)
        #expect(back.attributes == receipt.attributes)
        #expect(Set(back.attributes.filter { $0.type == 99 }.map(\.value)) == [[], [1, 2, 3]])
        #expect(back.purchases.map(\.attributes) == receipt.purchases.map(\.attributes))
        #expect(back.reserved20 == "x")
    }

    @Test("Decoding works for receipts with few attributes or none")
    func roundTripOfLittle() throws {
        let xcode = TestReceipt().with {
            $0.environment = .xcode
            $0.purchases = [TestPurchase("pro", transaction: "0", at: $0.creationDate)]
        }
        for receipt in [try AppReceipt(parsing: xcode.signedLikeXcode()), try receipt()] {
            #expect(try JSONDecoder().decode(AppReceipt.self, from: JSONEncoder().encode(receipt)) == receipt)
        }
    }

    @Test("Decoding a receipt from a property list results in an equal receipt")
    func propertyList() throws {
        let receipt = try Self.full()
        let encoded = try PropertyListEncoder().encode(receipt)
        #expect(try PropertyListDecoder().decode(AppReceipt.self, from: encoded) == receipt)
    }

    @Test("A receipt encoded without attributes has every property and an empty list when decoded")
    func omitted() throws {
        let receipt = try Self.full()
        let encoder = JSONEncoder()
        encoder.userInfo[.omitsReceiptAttributes] = true
        let encoded = try encoder.encode(receipt)
        let back = try JSONDecoder().decode(AppReceipt.self, from: encoded)
        #expect(back.attributes.isEmpty)
        #expect(back.purchases.allSatisfy { $0.attributes.isEmpty })
        // All other properties are equal: both receipts have the same JSON without attributes.
        encoder.outputFormatting = .sortedKeys
        #expect(try encoder.encode(back) == encoder.encode(receipt))
        #expect(back.bundleIdentifier == receipt.bundleIdentifier)
        #expect(back.purchases.map(\.transactionIdentifier) == ["1", "3"])
        #expect(try object(receipt, encoder)["attributes"] == nil)
        encoder.userInfo[.omitsReceiptAttributes] = false
        #expect(try object(receipt, encoder)["attributes"] != nil)
    }

    // MARK: Encoding

    @Test("JSON has the properties' names, dates as text in UTC, bytes as base64 and identifiers as strings")
    func form() throws {
        let receipt = try Self.full()
        let json = try object(receipt)
        #expect(json["environment"] as? String == "ProductionVPP")
        #expect(json["appStoreIdentifier"] as? String == "18446744073709551615")
        #expect(json["developerIdentifier"] as? String == "9007199254740993")
        #expect(json["downloadIdentifier"] as? String == "502123456789012")
        #expect(json["versionExternalIdentifier"] as? String == "860000001")
        #expect(json["bundleIdentifier"] as? String == "com.example.app")
        #expect(json["bundleIdentifierBytes"] as? String == "DA9jb20uZXhhbXBsZS5hcHA=")
        #expect(json["opaqueValue"] as? String == "EBESExQVFhcYGRobHB0eHw==")
        #expect(
            (json["deviceHash"] as? String).flatMap { Data(base64Encoded: $0) }.map(Array.init) == receipt.deviceHash)
        #expect(json["creationDate"] as? String == "2024-07-02T15:04:05Z")
        #expect(json["transactionDate"] as? String == "2024-07-02T15:04:05Z")
        #expect(json["originalPurchaseDate"] as? String == "2013-08-01T07:00:00Z")
        #expect(json["expirationDate"] as? String == "2025-01-01T00:00:00Z")
        #expect(json["volumePurchaseDate"] as? String == "2024-07-02T15:04:05.250Z")
        #expect(json["preorderDate"] as? String == "2024-02-29T11:00:00Z")
        #expect(json["volumePurchaseClientName"] as? String == "Example School")
        #expect(json["platformCode"] as? Int == 3)
        let slices = [
            "bundleIdentifierSlice": "bundleIdentifierBytes", "opaqueValueSlice": "opaqueValue",
            "deviceHashSlice": "deviceHash",
        ]
        let names = Mirror(reflecting: receipt).children.compactMap(\.label).map { slices[$0] ?? $0 }
        #expect(Set(json.keys) == Set(names))
    }

    @Test("JSON of purchases follows the same rules")
    func purchaseForm() throws {
        let receipt = try Self.full()
        let purchases = try #require(try object(receipt)["purchases"] as? [[String: Any]])
        let subscription = try #require(purchases.first { $0["productIdentifier"] as? String == "com.example.pro" })
        #expect(subscription["quantity"] as? Int == 1)
        #expect(subscription["transactionIdentifier"] as? String == "3")
        #expect(subscription["originalTransactionIdentifier"] as? String == "2")
        #expect(subscription["purchaseDate"] as? String == "2024-07-02T15:04:05Z")
        #expect(subscription["expirationDate"] as? String == "2024-08-02T15:04:05Z")
        #expect(subscription["cancellationDate"] as? String == "2024-07-10T00:00:00Z")
        #expect(subscription["productType"] as? Int == 3)
        #expect(subscription["productStoreIdentifier"] as? String == "6446000001")
        #expect(subscription["webOrderLineItemIdentifier"] as? String == "1000000056789012")
        #expect(subscription["isTrialPeriod"] as? Bool == true)
        #expect(subscription["isInIntroductoryOfferPeriod"] as? Bool == true)
        #expect(subscription["promotionalOfferIdentifier"] as? String == "winback")
        let parsed = try #require(receipt.purchases.first { $0.productIdentifier == "com.example.pro" })
        #expect(Set(subscription.keys) == Set(Mirror(reflecting: parsed).children.compactMap(\.label)))
    }

    @Test("JSON of raw attributes has type, version and base64")
    func attributeForm() throws {
        let receipt = try receipt(attribute(99, [1, 2, 3], version: 7), attribute(4, []))
        let attributes = try #require(try object(receipt)["attributes"] as? [[String: Any]])
        #expect(attributes.map { $0["type"] as? Int } == [99, 4])
        #expect(attributes.map { $0["version"] as? Int } == [7, 1])
        #expect(attributes.map { $0["value"] as? String } == ["AQID", ""])
    }

    @Test("Absent values are omitted")
    func absent() throws {
        #expect(try Set(object(receipt()).keys) == ["purchases", "attributes"])
        let purchases = try object(receipt(attribute(17, attributeSet([]))))["purchases"] as? [[String: Any]]
        #expect(purchases.map { $0.map { Set($0.keys) } } == [["attributes"]])
    }

    @Test("The encoder's strategies don't change the JSON")
    func strategies() throws {
        let receipt = try Self.full()
        let plain = JSONEncoder()
        plain.outputFormatting = .sortedKeys
        let expected = try plain.encode(receipt)
        let dates: [JSONEncoder.DateEncodingStrategy] = [
            .deferredToDate, .iso8601, .secondsSince1970, .millisecondsSince1970,
        ]
        for strategy in dates {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            encoder.dateEncodingStrategy = strategy
            encoder.dataEncodingStrategy = .deferredToData
            #expect(try encoder.encode(receipt) == expected)
        }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        decoder.dataDecodingStrategy = .deferredToData
        #expect(try decoder.decode(AppReceipt.self, from: expected) == receipt)
    }

    // MARK: Decoding errors

    @Test(
        "A malformed date, base64 text or number isn't decoded",
        arguments: [
            #""creationDate":"yesterday""#, #""creationDate":1719932645"#, #""deviceHash":"AQI""#,
            #""deviceHash":"A-I=""#,
            #""appStoreIdentifier":"-1""#, #""appStoreIdentifier":"18446744073709551616""#,
            #""appStoreIdentifier":"1.0""#,
            #""appStoreIdentifier":12"#, #""attributes":[{"type":1,"version":1,"value":"?"}]"#,
        ])
    func malformed(member: String) throws {
        let decoder = JSONDecoder()
        let broken = Data("{\"purchases\":[],\(member)}".utf8)
        #expect(throws: DecodingError.self) { try decoder.decode(AppReceipt.self, from: broken) }
    }

    @Test("The valid JSON on which the malformed ones are based is decoded")
    func harmless() throws {
        let json = """
            {"purchases":[],"creationDate":"2024-07-02T17:04:05+02:00","deviceHash":"AQI=","appStoreIdentifier":"12",
            "attributes":[{"type":1,"version":1,"value":"AQI="}]}
            """
        let receipt = try JSONDecoder().decode(AppReceipt.self, from: Data(json.utf8))
        #expect(receipt.creationDate?.timeIntervalSince1970 == 1_719_932_645)
        #expect(receipt.deviceHash == [1, 2])
        #expect(receipt.appStoreIdentifier == 12)
        #expect(receipt.attributes.first?.value == [1, 2])
    }
}
