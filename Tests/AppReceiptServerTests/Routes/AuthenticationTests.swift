#if Server
import AppReceiptServer
import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import HTTPTypes
import Testing
import VerifyReceipt

@Suite("Authentication")
struct AuthenticationTests {
    @available(AppReceiptServer 1.0, *)
    @Test(
        "A request without the token gets 401",
        arguments: ["", "Bearer", "Bearer ", "Bearer wrong", "Basic c2VjcmV0", "secret", "Bearer secret x"])
    func wrongTokens(header: String) async throws {
        try await TestServer.with {
            $0.tokens = [AccessToken(SharedSecret("secret"))]
        } _: { server async throws in
            let answer = try await server.post(
                "/v1/receipts/validate", try TestReceipt().signed(),
                headers: header.isEmpty ? [:] : ["Authorization": header])
            #expect(answer.status == 401)
            #expect(answer.errorCode == "unauthorized")
            #expect(answer.headers["www-authenticate"] == "Bearer")
            #expect(!server.log.text.contains("secret"))
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Every route of the API requires the token; verifyReceipt, the validator, health and the page don't")
    func rightToken() async throws {
        try await TestServer.with {
            $0.tokens = [AccessToken(SharedSecret("secret"))]
        } _: { server async throws in
            let receipt = try TestReceipt().signed()
            for route in Self.routes {
                #expect(try await server.send(route.method, route.path).status == 401, "\(route.path)")
            }
            let authorized = ["Authorization": "bearer secret"]
            #expect(try await server.post("/v1/receipts/validate", receipt, headers: authorized).status == 200)
            #expect(try await server.post("/sandbox/verifyReceipt", request(receipt)).receiptStatus == 0)
            let validated = try await server.post(
                "/v1/validator", ValidatorRoutesTests.request(receipt: receipt))
            #expect(validated.json["ok"] == true)
            for path in ["/healthz", "/readyz", "/metrics", "/openapi.json", "/"] {
                #expect(try await server.get(path).status == 200)
            }
        }
    }

    /// The roles that may use each route.
    @available(AppReceiptServer 1.0, *)
    private static let routes:
        [(name: String, method: HTTPRequest.Method, path: String, roles: Set<AccessToken.Role>)] = [
            ("validation", .post, "/v1/receipts/validate", [.verify, .read, .admin]),
            ("validation", .post, "/v1/receipts/inspect", [.verify, .read, .admin]),
            ("validation", .post, "/v1/signed-data/verify", [.verify, .read, .admin]),
            ("evidence", .post, "/v1/accounts/1/evidence", [.verify, .read, .admin]),
            ("account", .get, "/v1/accounts/1/entitlements", [.read, .support, .admin]),
            ("purchase", .get, "/v1/purchases/1", [.read, .support, .admin]),
            ("purchases", .get, "/v1/purchases", [.read, .support, .admin]),
            ("events", .get, "/v1/events", [.read, .support, .admin]),
            ("page", .post, "/v1/inspector/examine", [.support, .admin]),
            ("binding", .put, "/v1/accounts/1/purchases/1", [.admin]),
            ("forgetting", .delete, "/v1/accounts/1", [.admin]),
        ]

    @available(AppReceiptServer 1.0, *)
    @Test("A role may use its routes and no others", arguments: AccessToken.Role.allCases)
    func roles(role: AccessToken.Role) async throws {
        try await TestServer.with {
            $0.tokens = [
                AccessToken(SharedSecret("other"), role: role == .admin ? .verify : .admin),
                AccessToken(SharedSecret("secret"), name: "tested", role: role),
            ]
        } _: { server async throws in
            for route in Self.routes {
                let response = try await server.send(
                    route.method, route.path, headers: ["Authorization": "Bearer secret"])
                let isAllowed = response.errorCode != "role-insufficient"
                #expect(isAllowed == route.roles.contains(role), "\(route.path)")
                #expect(isAllowed || response.status == 403, "\(route.path)")
                #expect(response.status != 401, "\(route.path)")
            }
            let isRestricted = role != .admin
            #expect(server.log.text.contains("\"token\": tested") == isRestricted)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A token of some apps neither validates, reads nor changes anything of another app")
    func apps() async throws {
        let mine = Array(try TestTransaction("com.example.pro", transaction: "1").signed().utf8)
        let other = Array(
            try TestTransaction("com.example.pro", transaction: "2").with { $0.bundleIdentifier = "com.example.other" }
                .signed().utf8)
        let texts: AppStoreJSON = [
            "evidence": .array([mine, other].map { .string(String(decoding: $0, as: UTF8.self)) })
        ]
        try await TestServer.with {
            $0.tokens = [
                AccessToken(SharedSecret("all")),
                AccessToken(SharedSecret("mine"), role: .admin, apps: ["com.example.app"]),
            ]
        } _: { server async throws in
            let (all, limited) = (["Authorization": "Bearer all"], ["Authorization": "Bearer mine"])
            for path in ["/v1/signed-data/verify"] {
                #expect(try await server.post(path, mine, headers: limited).status == 200)
                #expect(try await server.post(path, other, headers: limited).errorCode == "app-not-allowed")
            }
            let notification = try TestNotification(type: .didRenew).with {
                $0.bundleIdentifier = "com.example.other"
                $0.signedTransactionInfo = String(decoding: other, as: UTF8.self)
            }.signed()
            let report = try await server.post(
                "/v1/notifications?report=true", ["signedPayload": .string(notification)], headers: limited)
            #expect(report.errorCode == "app-not-allowed")
            #expect(try await server.get("/v1/purchases/2", headers: all).status == 404)
            let partly = try await server.post("/v1/accounts/42/evidence", texts, headers: limited)
            #expect(partly.status == 200)
            #expect(partly.json["purchases"]?.array?.compactMap(\.string) == ["1"])
            #expect(partly.json["rejected"]?.array?.map { $0["index"]?.number?.int64 } == [1])
            #expect(partly.json["rejected"]?[0]?["code"]?.string == "app-not-allowed")
            #expect(try await server.get("/v1/purchases/2", headers: all).status == 404)
            let named = "/v1/accounts/42/evidence?bundle-id=com.example.other"
            #expect(try await server.post(named, texts, headers: limited).errorCode == "app-not-allowed")
            #expect(try await server.post("/v1/accounts/42/evidence", texts, headers: all).status == 200)
            #expect(try await server.get("/v1/purchases/2", headers: limited).status == 404)
            let bound = "/v1/purchases/1?bundle-id=com.example.other"
            #expect(try await server.get(bound, headers: limited).errorCode == "app-not-allowed")
            let account = try await server.get("/v1/accounts/42/entitlements", headers: limited)
            #expect(account.json["purchases"]?.array?.compactMap(\.string) == ["1"])
            let listed = try await server.get("/v1/purchases", headers: limited).json["purchases"]?.array ?? []
            #expect(listed.map { $0["bundleIdentifier"]?.string } == ["com.example.app"])
            let others = "/v1/purchases?bundle-id=com.example.other"
            #expect(try await server.get(others, headers: limited).errorCode == "app-not-allowed")
            let events = try await server.get("/v1/events", headers: limited).json["events"]?.array ?? []
            #expect(Set(events.map { $0["bundleIdentifier"]?.string }) == ["com.example.app"])
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A token with an empty list of apps gets nothing of any app", arguments: [[], ["com.example.app"]])
    func noApps(served: [String]) async throws {
        let token = try TestTransaction("com.example.pro", transaction: "1").signed()
        let evidence: AppStoreJSON = ["evidence": [.string(token)]]
        try await TestServer.with {
            $0.bundleIdentifiers = Set(served)
            $0.tokens = [AccessToken(SharedSecret("all")), AccessToken(SharedSecret("none"), name: "none", apps: [])]
        } _: { server async throws in
            let (all, none) = (["Authorization": "Bearer all"], ["Authorization": "Bearer none"])
            #expect(try await server.post("/v1/accounts/42/evidence", evidence, headers: all).status == 200)
            let verified = try await server.post("/v1/signed-data/verify", Array(token.utf8), headers: none)
            #expect(verified.errorCode == "app-not-allowed")
            let submitted = try await server.post("/v1/accounts/43/evidence", evidence, headers: none)
            #expect(submitted.json["rejected"]?[0]?["code"] == "app-not-allowed")
            for path in ["/v1/accounts/42/entitlements", "/v1/purchases/1"] {
                #expect(try await server.get(path, headers: all).status == 200)
                #expect(try await server.get(path, headers: none).status == 404)
            }
            for (path, member) in [("/v1/purchases", "purchases"), ("/v1/events", "events")] {
                #expect(try await server.get(path, headers: all).json[member]?.array?.isEmpty == false)
                #expect(try await server.get(path, headers: none).json[member]?.array?.isEmpty == true)
            }
            let named = try await server.get("/v1/purchases?bundle-id=com.example.app", headers: none)
            #expect(named.errorCode == "app-not-allowed")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test(
        "An administrator of some apps forgets an account in these apps, and learns nothing of others",
        arguments: AccessToken.Role.allCases,
        [
            .anyBundle, [], ["com.example.app"], ["com.example.other"], ["com.example.app", "com.example.other"],
            ["com.example.none"],
        ] as [AcceptedValues<String>])
    func forgetting(role: AccessToken.Role, apps: AcceptedValues<String>) async throws {
        func token(_ transaction: String, _ app: String) throws -> AppStoreJSON {
            .string(
                try TestTransaction("com.example.pro", transaction: transaction).with { $0.bundleIdentifier = app }
                    .signed())
        }
        let both: AppStoreJSON = try [
            "evidence": .array([token("1", "com.example.app"), token("2", "com.example.other")])
        ]
        let present = ["1": "com.example.app", "2": "com.example.other"]
        let visible = present.filter { apps.values?.contains($0.value) ?? true }.keys
        for isCommerce in [false, true] {
            try await TestServer.with {
                $0.tokens = [
                    AccessToken(SharedSecret("all")),
                    AccessToken(SharedSecret("tested"), name: "tested", role: role, apps: apps),
                ]
            } _: { server async throws in
                let (all, tested) = (["Authorization": "Bearer all"], ["Authorization": "Bearer tested"])
                func forget(_ account: String) async throws -> ServerResponse {
                    isCommerce
                        ? try await server.post(
                            "/commerce/v1/users/erase", ["userId": .string(account)], headers: tested)
                        : try await server.send(.delete, "/v1/accounts/\(account)", headers: tested)
                }
                #expect(try await server.post("/v1/accounts/42/evidence", both, headers: all).status == 200)
                let response = try await forget("42")
                var remaining = Set(present.keys)
                if role == .admin {
                    remaining.subtract(visible)
                    if isCommerce {
                        #expect(response.status == 202)
                    } else if visible.isEmpty {
                        #expect(response.errorCode == "account-unknown")
                    } else {
                        #expect(response.json == ["purchases": .number(AppStoreJSON.Number(Int64(visible.count)))])
                    }
                    // What is left of other apps is like nothing.
                    let again = try await forget("42")
                    let unknown = try await forget("43")
                    #expect((again.status, again.json) == (unknown.status, unknown.json))
                } else {
                    #expect(response.status == 403)
                }
                let account = try await server.get("/v1/accounts/42/entitlements", headers: all)
                #expect(Set(account.json["purchases"]?.array?.compactMap(\.string) ?? []) == remaining)
                let events = try await server.get("/v1/events", headers: all).json["events"]?.array ?? []
                for event in events {
                    let original = event["originalTransactionIdentifier"]?.string ?? ""
                    #expect((event["account"]?.string == "42") == remaining.contains(original))
                }
            }
        }
    }
}
#endif
