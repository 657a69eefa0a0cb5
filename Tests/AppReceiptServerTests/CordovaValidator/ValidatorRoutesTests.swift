#if Server
import AppReceiptKit
import AppReceiptServer
import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import HTTPTypes
import Testing
import VerifyReceipt

@Suite("ValidatorRoutes")
struct ValidatorRoutesTests {
    private static let path = "/v1/validator"
    private static let farFuture = instant("2099-01-01T00:00:00Z")

    /// A request of version 13.
    static func request(
        token: String, id: String = "com.example.app", type: String = "application"
    ) -> AppStoreJSON {
        [
            "id": .string(id), "type": .string(type),
            "transaction": ["type": "apple-sk2", "id": "com.example.pro", "jwsRepresentation": .string(token)],
            "additionalData": ["applicationUsername": "user-42"],
            "device": ["plugin": "cordova-plugin-purchase/13.18.0", "platform": "iOS"],
        ]
    }

    static func request(
        receipt: [UInt8], id: String = "com.example.app", type: String = "application", device: Bool = true
    ) -> AppStoreJSON {
        var request: AppStoreJSON.Object = [
            "id": .string(id), "type": .string(type),
            "transaction": [
                "type": "ios-appstore", "id": "1", "appStoreReceipt": .string(Data(receipt).base64EncodedString()),
            ],
        ]
        if device { request["device"] = ["plugin": "cordova-plugin-purchase/13.2.0"] }
        return .object(request)
    }

    private static func receipt(_ change: (inout TestReceipt) -> Void = { _ in }) throws -> [UInt8] {
        var receipt = TestReceipt(purchases: [
            TestPurchase("com.example.pro", transaction: "1"),
            TestPurchase(
                subscription: "com.example.monthly", transaction: "2", from: instant("2024-06-01T00:00:00Z"),
                to: farFuture),
            TestPurchase(
                subscription: "com.example.ended", transaction: "3", from: instant("2024-05-01T00:00:00Z"),
                to: instant("2024-06-01T00:00:00Z")),
        ])
        change(&receipt)
        return try receipt.signed()
    }

    /// Checks a failure: the status that the plugin reads, and the code where each version reads it.
    private static func expect(
        _ response: ServerResponse, isFailure code: Int64, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(response.status == 200, sourceLocation: sourceLocation)
        #expect(response.json["ok"] == false, sourceLocation: sourceLocation)
        #expect(response.json["code"]?.number?.int64 == code, sourceLocation: sourceLocation)
        #expect(response.json["message"]?.string?.isEmpty == false, sourceLocation: sourceLocation)
        #expect(response.json["data"]?["code"]?.number?.int64 == code, sourceLocation: sourceLocation)
        #expect(
            response.json["data"]?["error"]?["message"] == response.json["message"], sourceLocation: sourceLocation)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A receipt is answered with all of its products, without a token of the server")
    func receiptOfApp() async throws {
        try await TestServer.with {
            $0.tokens = [AccessToken(SharedSecret("secret"))]
        } _: { server async throws in
            let response = try await server.post(
                Self.path + "?appName=app&apiKey=key", Self.request(receipt: try Self.receipt()))
            #expect(response.status == 200)
            #expect(response.headers["content-type"] == "application/json")
            let answer = try PluginAnswer(response.json)
            #expect(answer.data["id"] == "com.example.app")
            #expect(answer.elements.count == 3)
            #expect(answer.owns("com.example.pro"))
            #expect(answer.owns("com.example.monthly"))
            #expect(!answer.owns("com.example.ended"))
            let date = try #require(answer.data["date"]?.string)
            #expect(date.count == 24 && date.hasSuffix("Z"))
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("What a request proves is recorded without an account, and later evidence is in the answer")
    func recorded() async throws {
        let token = try TestTransaction("com.example.pro", transaction: "1").signed()
        try await TestServer.with { server async throws in
            let first = try await server.post(Self.path, Self.request(token: token))
            #expect(try PluginAnswer(first.json).owns("com.example.pro"))
            let purchase = try await server.get("/v1/purchases/1").json
            #expect(purchase["account"] == .null)
            let refund = try TestTransaction("com.example.pro", transaction: "1").with {
                $0.revocationDate = instant("2024-08-01T00:00:00Z")
                $0.signedDate = instant("2024-08-01T00:00:01Z")
            }.signed()
            let notification = try TestNotification(type: .refund).with { $0.signedTransactionInfo = refund }.signed()
            _ = try await server.post("/v1/notifications", ["signedPayload": .string(notification)])
            for request in [Self.request(token: token), Self.request(receipt: try Self.receipt())] {
                let answer = try PluginAnswer(try await server.post(Self.path, request).json)
                #expect(!answer.owns("com.example.pro"))
                #expect(answer.element("com.example.pro")?["isExpired"] == true)
            }
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A transaction is answered with the other purchases of its signed account, and with no others")
    func signedAccount() async throws {
        func token(_ product: String, _ transaction: String, account: String?) throws -> String {
            try TestTransaction(product, transaction: transaction).with {
                if let account { $0.overrides["appAccountToken"] = .string(account) }
            }.signed()
        }
        let ann = "7E3FB20B-4CDB-47CC-936D-99D65F608138"
        try await TestServer.with { server async throws in
            for (product, transaction, account) in [
                ("com.example.tools", "1", ann), ("com.example.other", "2", "3F2504E0-4F89-11D3-9A0C-0305E82C3301"),
                ("com.example.none", "3", nil),
            ] as [(String, String, String?)] {
                let token = try token(product, transaction, account: account)
                let answer = try PluginAnswer(try await server.post(Self.path, Self.request(token: token)).json)
                #expect(answer.owns(product))
                #expect(answer.data["collection"]?.array?.count == 1)
            }
            // As after a start of the app, which sends the newest transaction alone.
            let newest = try token("com.example.pro", "4", account: ann)
            let answer = try PluginAnswer(try await server.post(Self.path, Self.request(token: newest)).json)
            #expect(answer.owns("com.example.pro"))
            #expect(answer.owns("com.example.tools"))
            #expect(answer.data["collection"]?.array?.count == 2)
            #expect(answer.data["id"] == "4")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A purchase that only a client's header binds to the account isn't in the answer")
    func unsignedAccount() async throws {
        let account = "7E3FB20B-4CDB-47CC-936D-99D65F608138"
        let newest = try TestTransaction("com.example.pro", transaction: "4").with {
            $0.overrides["appAccountToken"] = .string(account)
        }.signed()
        try await TestServer.with { server async throws in
            let receipt: AppStoreJSON = ["receipt": .string(Data(try Self.receipt()).base64EncodedString())]
            let bound = try await server.post("/v1/receipts/validate", receipt, headers: ["X-Account": account])
            #expect(bound.json["verdict"] == "valid")
            #expect(
                try await server.get("/v1/purchases/2").json["account"]?.string?.lowercased() == account.lowercased())
            let answer = try PluginAnswer(try await server.post(Self.path, Self.request(token: newest)).json)
            #expect(answer.owns("com.example.pro"))
            #expect(answer.data["collection"]?.array?.count == 1)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Versions 8 to 12 send a product, and a product that is over is a failure")
    func products() async throws {
        let receipt = try Self.receipt {
            $0.purchases.append(TestPurchase("com.example.coins", transaction: "4", type: .consumable))
            $0.purchases.append(
                TestPurchase("com.example.refunded", transaction: "5").with { $0.cancellationDate = $0.purchaseDate })
        }
        try await TestServer.with { server async throws in
            func post(_ product: String, _ type: String, device: Bool) async throws -> ServerResponse {
                try await server.post(
                    Self.path, Self.request(receipt: receipt, id: product, type: type, device: device))
            }
            for device in [true, false] {
                for (product, type) in [
                    ("com.example.pro", "non consumable"), ("com.example.monthly", "paid subscription"),
                    ("com.example.coins", "consumable"), ("com.example.app", "application"),
                ] {
                    let answer = try PluginAnswer(try await post(product, type, device: device).json)
                    #expect(answer.data["transaction"]?["type"] == "ios-appstore")
                    #expect((answer.data["transaction"]?["expiryDate"] != nil) == (type == "paid subscription"))
                }
                let missing = try await post("com.example.other", "paid subscription", device: device)
                Self.expect(missing, isFailure: 6_778_006)
                for (product, type) in [
                    ("com.example.ended", "paid subscription"), ("com.example.refunded", "non consumable"),
                ] {
                    Self.expect(try await post(product, type, device: device), isFailure: 6_778_003)
                }
            }
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("What isn't genuine, or is another app's, is an invalid payload")
    func rejected() async throws {
        let genuine = try Self.receipt()
        var forged = genuine
        forged[forged.count - 20] ^= 1
        let token = try TestTransaction("com.example.pro", transaction: "1").signed()
        let renewal = try TestRenewalInfo("com.example.monthly", original: "2").signed()
        let other = try TestTransaction("com.example.pro", transaction: "9").with {
            $0.bundleIdentifier = "com.example.other"
        }.signed()
        let unsigned = #"{"transactionId":"1","productId":"com.example.pro","bundleId":"com.example.app"}"#
        try await TestServer.with {
            $0.bundleIdentifiers = ["com.example.app"]
        } _: { server async throws in
            for (name, request) in [
                ("forged receipt", Self.request(receipt: forged)),
                ("not a receipt", Self.request(receipt: Array("x".utf8))),
                ("unsigned receipt", Self.request(receipt: Array(unsigned.utf8))),
                ("receipt of a token", Self.request(receipt: Array(token.utf8))),
                ("unsigned token", Self.request(token: unsigned)),
                ("damaged token", Self.request(token: String(token.dropLast(4)) + "AAAA")),
                ("cut token", Self.request(token: String(token.prefix(200)))),
                ("renewal information", Self.request(token: renewal)),
                ("another app", Self.request(token: token, id: "com.example.other")),
                ("app that isn't served", Self.request(token: other, id: "com.example.other")),
                ("body", ["id": "x"]), ("text", "x"),
            ] as [(String, AppStoreJSON)] {
                let response = try await server.post(Self.path, request)
                #expect(response.json["ok"] == false, "\(name)")
                Self.expect(response, isFailure: 6_778_001)
            }
            #expect(try await server.get("/v1/purchases").json["purchases"]?.array?.isEmpty == true)
            #expect(server.log.text.contains(#""code": 6778001"#))
            #expect(server.metrics.text().contains(#"appreceipt_verdicts_total{code="signature-invalid""#))
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A server of production only rejects the sandbox")
    func environments() async throws {
        try await TestServer.with {
            $0.environments = [.production]
        } _: { server async throws in
            Self.expect(
                try await server.post(Self.path, Self.request(receipt: try Self.receipt())), isFailure: 6_778_001)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Xcode's purchases are answered by a server that trusts Xcode, and not stored")
    func xcode() async throws {
        let trust = try XcodeTrust(der: [TestPKI.xcode.der(), TestPKI.xcodeTokens.der()])
        let receipt = try TestReceipt(purchases: [TestPurchase("com.example.pro", transaction: "0")])
            .signedLikeXcode()
        let token = try TestTransaction("com.example.pro", transaction: "0").with { $0.environment = .xcode }
            .signedLikeXcode()
        try await TestServer.with {
            $0.xcode = trust
            $0.environments = [.xcode]
        } _: { server async throws in
            for request in [Self.request(receipt: receipt), Self.request(token: token)] {
                let answer = try PluginAnswer(try await server.post(Self.path, request).json)
                #expect(answer.owns("com.example.pro"))
            }
            #expect(try await server.get("/v1/purchases").json["purchases"]?.array?.isEmpty == true)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Every failure of the server has HTTP status 200 and the code of an internal error")
    func failures() async throws {
        let token = try TestTransaction("com.example.pro", transaction: "1").signed()
        try await TestServer.with {
            $0.limits.maxBodyBytes = 16 << 10
        } _: { server async throws in
            let large = Array(#"{"id":"\#(String(repeating: "x", count: 20_000))"}"#.utf8)
            let response = try await server.post(Self.path, large)
            Self.expect(response, isFailure: 6_778_001)
            #expect(response.headers["connection"] == "close")
        }
        try await TestServer.with {
            $0.limits.maxRequests = 0
        } _: { server async throws in
            let response = try await server.post(Self.path, Self.request(token: token))
            Self.expect(response, isFailure: 6_778_005)
            #expect(response.headers["retry-after"] == "1")
        }
        try await TestServer.with { server async throws in
            try await server.closeStore()
            Self.expect(try await server.post(Self.path, Self.request(token: token)), isFailure: 6_778_005)
            Self.expect(
                try await server.post(Self.path, Self.request(receipt: try Self.receipt())), isFailure: 6_778_005)
            #expect(server.log.text.contains("closed"))
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Other methods get 405")
    func methods() async throws {
        try await TestServer.with { server async throws in
            let response = try await server.get(Self.path)
            #expect(response.status == 405)
            #expect(response.headers["allow"] == "POST")
        }
    }

    // MARK: Other origins

    private static func preflight(_ origin: String) -> [String: String] {
        [
            "Origin": origin, "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "content-type,X-Custom, bad name",
            "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors",
        ]
    }

    @available(AppReceiptServer 1.0, *)
    @Test(
        "A page of an allowed origin gets its preflight and every response, errors too",
        arguments: [
            ("ionic://localhost", "ionic://localhost", "ionic://localhost"),
            ("https://App.example.com:443", "https://app.example.com", "https://app.example.com"),
            ("null", "null", "null"), ("*", "https://anything.example.net", "*"),
        ])
    func allowedOrigin(setting: String, origin: String, answered: String) async throws {
        let token = try TestTransaction("com.example.pro", transaction: "1").signed()
        try await TestServer.with {
            $0.allowedOrigins = [setting]
        } _: { server async throws in
            let preflight = try await server.send(.options, Self.path, headers: Self.preflight(origin))
            #expect(preflight.status == 204)
            #expect(preflight.body.isEmpty)
            #expect(preflight.headers["access-control-allow-methods"] == "POST")
            #expect(preflight.headers["access-control-allow-headers"] == "content-type, x-custom")
            #expect(preflight.headers["access-control-max-age"] == "86400")
            let headers = [
                "Origin": origin, "Sec-Fetch-Site": "cross-site", "Content-Type": "application/json;charset=UTF-8",
            ]
            let answer = try await server.post(Self.path, Self.request(token: token), headers: headers)
            #expect(try PluginAnswer(answer.json).owns("com.example.pro"))
            let failure = try await server.post(Self.path, Array("x".utf8), headers: headers)
            Self.expect(failure, isFailure: 6_778_001)
            let method = try await server.get(Self.path, headers: headers)
            #expect(method.status == 405)
            for response in [preflight, answer, failure, method] {
                #expect(response.headers["access-control-allow-origin"] == answered)
                #expect(response.headers["vary"] == "Origin")
                #expect(response.headers["access-control-allow-credentials"] == nil)
            }
            // Only this path is shared.
            for path in ["/v1/validators", "/v1/receipts/validate", "/verifyReceipt", "/v1", "/"] {
                let response = try await server.post(path, Array("{}".utf8), headers: headers)
                #expect(response.status == 403, "\(path)")
                #expect(response.headers["access-control-allow-origin"] == nil)
                let preflight = try await server.send(.options, path, headers: Self.preflight(origin))
                #expect(preflight.status == 403)
            }
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test(
        "A page of another origin is rejected",
        arguments: [
            "https://evil.example.net", "http://app.example.com", "https://app.example.com:8443", "null",
            "https://app.example.com.evil.example.net", "HTTPS://APP.EXAMPLE.COM",
        ])
    func otherOrigin(origin: String) async throws {
        try await TestServer.with {
            $0.allowedOrigins = ["https://app.example.com", "ionic://localhost", "https://path.example.com/x", ""]
        } _: { server async throws in
            for method in [HTTPRequest.Method.options, .post] {
                let response = try await server.send(method, Self.path, headers: Self.preflight(origin))
                #expect(response.status == 403)
                #expect(response.errorCode == "cross-origin")
                #expect(response.headers["access-control-allow-origin"] == nil)
                #expect(response.headers["vary"] == "Origin")
            }
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Without the setting, pages of other origins are rejected, and programs aren't told about origins")
    func noOrigins() async throws {
        let token = try TestTransaction("com.example.pro", transaction: "1").signed()
        try await TestServer.with { server async throws in
            let rejected = try await server.send(
                .options, Self.path, headers: Self.preflight("ionic://localhost"))
            #expect(rejected.status == 403)
            let answer = try await server.post(Self.path, Self.request(token: token))
            #expect(answer.json["ok"] == true)
            #expect(answer.headers["vary"] == nil)
            #expect(answer.headers["access-control-allow-origin"] == nil)
        }
    }
}
#endif
