#if Server
import AppReceiptKit
import AppReceiptServer
import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Testing
import VerifyReceipt

@Suite("Several apps")
struct AppsTests {
    @available(AppReceiptServer 1.0, *)
    private static func configure(_ configuration: inout ServerConfiguration) {
        var first = AppConfiguration(bundleIdentifier: "com.example.app")
        first.sharedSecrets = [SharedSecret("first-old"), SharedSecret("first-new")]
        first.environments = [.sandbox]
        var second = AppConfiguration(bundleIdentifier: "com.example.other")
        second.sharedSecrets = [SharedSecret("second")]
        second.appAppleIdentifier = 7
        configuration.apps = [first, second]
        configuration.acceptsBothEnvironments = true
    }

    private static func receipt(_ app: String, _ environment: AppStoreEnvironment = .sandbox) throws -> String {
        try TestReceipt(bundleIdentifier: app).with {
            $0.environment = environment == .production ? .production : .productionSandbox
            $0.purchases = [TestPurchase("com.example.pro", transaction: "77")]
        }.signed().base64
    }

    private static func body(_ receipt: String, _ password: String?) -> AppStoreJSON {
        var members: AppStoreJSON.Object = ["receipt-data": .string(receipt)]
        members["password"] = password.map { .string($0) }
        return .object(members)
    }

    @available(AppReceiptServer 1.0, *)
    @Test(
        "The password is compared with the secrets of the receipt's app",
        arguments: [
            ("com.example.app", "first-old", 0), ("com.example.app", "first-new", 0),
            ("com.example.app", "second", 21004),
            ("com.example.other", "second", 0), ("com.example.other", "first-new", 21004),
            ("com.example.app", "wrong", 21004), ("com.example.app", nil, 21004),
            ("com.example.unknown", "second", 21003),
        ] as [(String, String?, Int64)])
    func secrets(app: String, password: String?, status: Int64) async throws {
        try await TestServer.with(Self.configure) { server async throws in
            let body = Self.body(try Self.receipt(app), password)
            #expect(try await server.post("/verifyReceipt", body).receiptStatus == status)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Without a secret of any app, nothing is learned about a receipt", arguments: [nil, "", "wrong"])
    func nothingLearned(password: String?) async throws {
        try await TestServer.with(Self.configure) { server async throws in
            for text in [try Self.receipt("com.example.unknown"), "bm90IGEgcmVjZWlwdA=="] {
                #expect(try await server.post("/verifyReceipt", Self.body(text, password)).receiptStatus == 21004)
            }
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("An app is served in its own environments")
    func environments() async throws {
        try await TestServer.with(Self.configure) { server async throws in
            let production = Self.body(try Self.receipt("com.example.app", .production), "first-new")
            #expect(try await server.post("/verifyReceipt", production).receiptStatus == 21003)
            let other = Self.body(try Self.receipt("com.example.other", .production), "second")
            #expect(try await server.post("/verifyReceipt", other).receiptStatus == 0)
            let report = try await server.post(
                "/v1/receipts/validate", ["receipt": .string(try Self.receipt("com.example.app", .production))])
            #expect(report.json["failure"]?["code"]?.string == "environment-mismatch")
        }
    }
}
#endif
