import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

@Suite("Entitlement")
struct EntitlementTests {
    private static let names = [
        "asOf", "commitment", "environment", "isActive", "items", "kind", "nextStep", "originalTransactionIdentifier",
        "ownership", "productIdentifier", "quantity", "reason", "refundedPercentage", "renewsAs", "since", "state",
        "transactionIdentifier", "until", "willRenew",
    ]

    @Test("The JSON has every member, named like the property, with dates as RFC 3339")
    func json() throws {
        let entitlement = try ReceiptTestCase.bought(
            .period("silver", "2", "2024-07-01", "2024-08-01T00:00:00.25Z").with { $0.quantity = 3 }
        ).entitlement()
        let object = try Self.object(entitlement)
        #expect(object.keys.sorted() == Self.names)
        #expect(object["productIdentifier"] as? String == "silver")
        #expect(object["environment"] as? String == "sandbox")
        #expect(object["kind"] as? String == "subscription")
        #expect(object["isActive"] as? Bool == true)
        #expect(object["state"] as? String == "active")
        #expect(object["since"] as? String == "2024-07-01T00:00:00Z")
        #expect(object["until"] as? String == "2024-08-01T00:00:00.250Z")
        #expect(object["asOf"] as? String == "2024-07-02T15:04:05Z")
        #expect(object["reason"] as? String == "The period runs until 2024-08-01T00:00:00.250Z.")
        #expect(object["nextStep"] is NSNull)
        #expect(object["originalTransactionIdentifier"] as? String == "1")
        #expect(object["transactionIdentifier"] as? String == "2")
        #expect(object["willRenew"] is NSNull)
        #expect(object["quantity"] as? Int == 3)
        #expect(object["ownership"] is NSNull)
    }

    @Test("Absent values are null")
    func nulls() throws {
        let pro = TestPurchase.kept("pro", "1", "2024-01-01").without(1701, 1703, 1704, 1705, 1706)
        let object = try Self.object(ReceiptTestCase.bought(pro).entitlement())
        #expect(object.keys.sorted() == Self.names)
        for name in [
            "since", "until", "nextStep", "originalTransactionIdentifier", "transactionIdentifier", "willRenew",
            "renewsAs", "refundedPercentage", "ownership", "commitment", "items",
        ] {
            #expect(object[name] is NSNull, "\(name)")
        }
        #expect(object["quantity"] as? Int == 1)
    }

    @Test("The values of kind, state and environment are those of the contract")
    func rawValues() throws {
        #expect(
            Entitlement.State.allCases.map(\.rawValue) == [
                "owned", "active", "gracePeriod", "billingRetry", "renewalUnknown", "expired", "upgraded", "notStarted",
                "refunded", "revoked",
            ])
        #expect(
            Entitlement.Kind.allCases.map(\.rawValue) == [
                "subscription", "nonConsumable", "nonRenewing", "consumable", "freeSubscription", "unknown",
            ])
        let production = ReceiptTestCase.with { testCase in
            testCase.receipt.environment = .production
            testCase.receipt.purchases = [.kept("pro", "1", "2024-01-01")]
            testCase.expectations.environments = [.production]
        }
        let xcode = try ReceiptTestCase.bought(.kept("pro", "1", "2024-01-01")).likeXcode()
        #expect(try Self.object(production.entitlement())["environment"] as? String == "production")
        #expect(try Self.object(xcode.entitlement())["environment"] as? String == "xcode")
    }

    @Test("Entitlements can be encoded but not decoded")
    func isEncodableOnly() {
        #expect((Entitlement.self as Any.Type) is any Encodable.Type)
        for type in [
            Entitlement.self, Entitlement.Kind.self, Entitlement.State.self, Entitlements.self,
            AppStoreTransaction.self,
        ]
            as [Any.Type]
        {
            #expect(!(type is any Decodable.Type), "\(type)")
        }
    }

    @Test("Descriptions contain products and states and nothing about the customer")
    func description() throws {
        let testCase = ReceiptTestCase.bought(
            .period("silver", "123456789012345", "2024-07-01", "2024-08-01", original: "987654321"))
        #expect("\(try testCase.entitlement())" == "Entitlement(silver: active)")
        #expect("\(try testCase.subscription())" == "Subscription(1 periods)")
        let text = "\(try testCase.entitlements())"
        #expect(text.contains("Entitlement(silver: active)"))
        #expect(!text.contains("123456789012345"))
        #expect(!text.contains("987654321"))
    }

    @Test("A report contains entitlements only for a valid receipt")
    func report() throws {
        let testCase = ReceiptTestCase.bought(.kept("pro", "1", "2024-01-01"))
        let valid = try testCase.report()
        #expect(valid.entitlements == (try testCase.entitlements(at: "2025-01-01")))
        let products = try Self.object(in: valid.json())["products"] as? [[String: Any]]
        #expect(products?.map { $0["productIdentifier"] as? String } == ["pro"])
        let invalid = try ReceiptTestCase.with { invalid in
            invalid = testCase
            invalid.pki.signer.markers = []
        }.report()
        #expect(invalid.entitlements == nil)
        #expect((try Self.object(in: invalid.json())["products"] as? [Any])?.isEmpty == true)
    }

    private static func object(_ value: some Encodable) throws -> [String: Any] {
        try object(in: JSONEncoder().encode(value))
    }

    private static func object(in json: some Sequence<UInt8>) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any])
    }
}
