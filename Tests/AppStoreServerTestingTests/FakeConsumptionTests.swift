import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import AppStoreServerAPI
import AppStoreServerTesting
import Foundation
import Testing

@Suite("Consumption information for the fake App Store server")
struct FakeConsumptionTests {
    @available(AppStoreServerAPI 1.0, *)
    private func client() -> FakeStoreClient {
        let client = FakeStoreClient()
        client.store.add(
            TestTransaction("coins", transaction: "1").with { $0.productType = .consumable },
            TestTransaction("plus", transaction: "2", until: client.now + 60), TestTransaction("pro", transaction: "3"),
            TestTransaction("pro", transaction: "4").with { $0.ownership = .familyShared },
            TestTransaction("pro", transaction: "5").with { $0.overrides = ["advancedCommerceInfo": [:]] })
        return client
    }

    private static let valid: AppStoreJSON.Object = [
        "customerConsented": true, "deliveryStatus": "DELIVERED", "sampleContentProvided": false,
    ]

    @Test("The fake accepts every product type with 202, and the test can read it")
    @available(AppStoreServerAPI 1.0, *)
    func accepted() async throws {
        let client = client()
        for identifier in ["1", "2", "3"] {
            let response = try await client.send(.put, "/v2/transactions/consumption/\(identifier)", Self.valid)
            #expect(response.status == 202)
            #expect(response.raw.body.isEmpty)
        }
        #expect(client.store.consumption().map(\.transactionIdentifier) == ["1", "2", "3"])
        #expect(client.store.consumption().allSatisfy { $0.body == Self.valid })
        #expect(client.store.consumption(in: .production).isEmpty)
    }

    @Test(
        "The fake checks each member",
        arguments: [
            ("customerConsented", .null, 4_000_035), ("customerConsented", false, 4_000_035),
            ("deliveryStatus", .null, 4_000_036), ("deliveryStatus", 0, 4_000_036),
            ("deliveryStatus", "LOST", 4_000_036), ("sampleContentProvided", .null, 4_000_041),
            ("sampleContentProvided", "no", 4_000_041), ("refundPreference", 1, 4_000_044),
            ("refundPreference", "MAYBE", 4_000_044), ("refundPreference", "GRANT_PRORATED", 4_000_000),
            ("consumptionPercentage", 100_001, 4_000_000), ("consumptionPercentage", -1, 4_000_000),
            ("consumptionPercentage", "1", 4_000_000), ("consumptionPercentage", 100_000, nil),
            ("consumptionPercentage", 0, nil), ("refundPreference", "GRANT_FULL", nil), ("futureMember", 1, nil),
        ] as [(String, AppStoreJSON, Int64?)])
    @available(AppStoreServerAPI 1.0, *)
    func members(_ name: String, _ value: AppStoreJSON, _ code: Int64?) async throws {
        var body = Self.valid
        body[name] = value == .null ? nil : value
        let client = client()
        #expect(try await client.code(.put, "/v2/transactions/consumption/1", body) == code)
        #expect(client.store.consumption().isEmpty == (code != nil))
    }

    @Test(
        "The percentage depends on delivery, proration and product type",
        arguments: [
            ("1", ["deliveryStatus": "UNDELIVERED_OTHER", "consumptionPercentage": 1], 4_000_000),
            ("1", ["deliveryStatus": "UNDELIVERED_OTHER", "consumptionPercentage": 0], nil),
            ("1", ["refundPreference": "GRANT_PRORATED", "consumptionPercentage": 0], 4_000_000),
            ("1", ["refundPreference": "GRANT_PRORATED", "consumptionPercentage": 100_000], 4_000_000),
            ("1", ["refundPreference": "GRANT_PRORATED", "consumptionPercentage": 99_999], nil),
            ("2", ["consumptionPercentage": 0], 4_000_209), ("2", ["refundPreference": "GRANT_PRORATED"], nil),
            ("4", [:], 4_000_185), ("5", [:], 4_000_000), ("6", [:], 4_040_010), ("x", [:], 4_000_006),
        ] as [(String, AppStoreJSON.Object, Int64?)])
    @available(AppStoreServerAPI 1.0, *)
    func combinations(_ identifier: String, _ changes: AppStoreJSON.Object, _ code: Int64?) async throws {
        var body = Self.valid
        for change in changes.members { body[change.name] = change.value }
        #expect(try await client().code(.put, "/v2/transactions/consumption/\(identifier)", body) == code)
    }
}
