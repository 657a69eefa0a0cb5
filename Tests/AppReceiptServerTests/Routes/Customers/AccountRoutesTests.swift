#if Server
import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import HTTPTypes
import StoreTestSupport
import Testing
import VerifyReceipt

@testable import AppReceiptServer

@Suite("AccountRoutes")
struct AccountRoutesTests {
    private let owner = "0b9a2e11-3c55-4b0e-9d0f-5a1f2f0e7a42"

    /// A receipt of the sandbox with a non-consumable, created before every token here was signed.
    private func receipt() throws -> String {
        try TestReceipt().with {
            $0.creationDate = instant("2024-07-02T15:04:05Z")
            $0.purchases = [TestPurchase("com.example.pro", transaction: "77", at: instant("2024-06-01T00:00:00Z"))]
        }.signed().base64
    }

    private func token(
        _ product: String = "com.example.pro", transaction: String = "77", app: String = "com.example.app",
        account: String? = nil, refunded: Bool = false, signed: String = "2024-12-01T00:00:00Z"
    ) throws -> String {
        try TestTransaction(product, transaction: transaction, at: instant("2024-06-01T00:00:00Z")).with {
            $0.bundleIdentifier = app
            $0.signedDate = instant(signed)
            $0.revocationDate = refunded ? instant("2024-08-01T00:00:00Z") : nil
            if let account { $0.overrides["appAccountToken"] = .string(account) }
        }.signed()
    }

    private func evidence(_ texts: String...) -> AppStoreJSON {
        ["evidence": .array(texts.map { .string($0) })]
    }

    private func states(_ response: ServerResponse) -> [String: String] {
        let products = response.json["products"]?.array ?? []
        return Dictionary(
            products.map { ($0["productIdentifier"]?.string ?? "", $0["state"]?.string ?? "") },
            uniquingKeysWith: { "\($0) and \($1)" })
    }

    private func strings(_ response: ServerResponse, _ member: String) -> [String]? {
        response.json[member]?.array?.compactMap(\.string)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("An account owns what all of its evidence proves, whenever that was sent")
    func merged() async throws {
        try await TestServer.with { server async throws in
            let first = try await server.post("/v1/accounts/42/evidence", evidence(receipt()))
            #expect(first.status == 200)
            #expect(states(first) == ["com.example.pro": "owned"])
            let second = try await server.post(
                "/v1/accounts/42/evidence", evidence(token(refunded: true), token("com.example.maps", transaction: "9"))
            )
            #expect(states(second) == ["com.example.pro": "refunded", "com.example.maps": "owned"])
            let account = try await server.get("/v1/accounts/42/entitlements")
            #expect(account.json["account"]?.string == "42")
            #expect(states(account) == states(second))
            #expect(strings(account, "purchases") == ["77", "9"])
            #expect(account.json["products"]?[0]?["bundleIdentifier"]?.string == "com.example.app")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("What is rejected never stops the rest, and is named by its position")
    func rejected() async throws {
        let forged = try TestTransaction("com.example.pro", transaction: "78").signed(by: StoreFixtures.formerPKI)
        try await TestServer.with { server async throws in
            let response = try await server.post(
                "/v1/accounts/42/evidence", evidence("not a receipt", receipt(), forged))
            #expect(states(response) == ["com.example.pro": "owned"])
            let rejected = response.json["rejected"]?.array ?? []
            #expect(rejected.map { $0["index"]?.number?.int64 } == [0, 2])
            #expect(rejected[0]["code"]?.string == "input-unrecognized")
            #expect(rejected[1]["code"]?.string == "root-not-trusted")
            #expect(rejected.allSatisfy { $0["message"]?.string != nil && $0["remedy"]?.string != nil })
            #expect(rejected[0]["documentation"]?.string == "docs/errors.md#input-unrecognized")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Renewal information is of the app that the request or another document of the purchase names")
    func renewalsWithoutApp() async throws {
        let renewal = try TestRenewalInfo("com.example.yearly", original: "77").with {
            $0.signedDate = instant("2024-12-02T00:00:00Z")
        }.signed()
        try await TestServer.with { server async throws in
            let alone = try await server.post("/v1/accounts/42/evidence", evidence(renewal))
            #expect(alone.json["rejected"]?[0]?["code"]?.string == "app-unspecified")
            let together = try await server.post("/v1/accounts/42/evidence", evidence(renewal, token()))
            #expect(strings(together, "purchases") == ["77"])
            #expect(together.json["rejected"]?.array?.isEmpty == true)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Renewal information alone binds nothing, whatever app the request names", arguments: [true, false])
    func renewalsAlone(isConfigured: Bool) async throws {
        let renewal = try TestRenewalInfo("com.example.yearly", original: "77").with {
            $0.signedDate = instant("2024-12-02T00:00:00Z")
        }.signed()
        try await TestServer.with {
            if isConfigured { $0.bundleIdentifiers = ["com.example.app", "com.example.other"] }
        } _: { server async throws in
            let path = "/v1/accounts/thief/evidence?bundle-id=com.example.app"
            let alone = try await server.post(path, evidence(renewal))
            #expect(alone.json["rejected"]?[0]?["code"]?.string == "app-unspecified")
            #expect(strings(alone, "purchases") == [])
            let headers = ["X-Account": "thief"]
            let verify = "/v1/signed-data/verify?bundle-id=com.example.app"
            #expect(try await server.post(verify, Array(renewal.utf8), headers: headers).status == 200)
            let owner = try await server.post("/v1/accounts/42/evidence", evidence(token()))
            #expect(strings(owner, "purchases") == ["77"])
            #expect(strings(owner, "replays") == [])
            #expect(try await server.get("/v1/accounts/thief/entitlements").errorCode == "account-unknown")
            // Something else of the purchase is known now.
            let known = try await server.post("/v1/accounts/42/evidence?bundle-id=com.example.app", evidence(renewal))
            #expect(strings(known, "purchases") == ["77"])
            #expect(known.json["rejected"]?.array?.isEmpty == true)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test(
        "A client that may not read accounts gets only the purchases in the evidence of its request",
        arguments: AccessToken.Role.allCases)
    func roles(role: AccessToken.Role) async throws {
        try await TestServer.with {
            $0.tokens = [AccessToken(SharedSecret("all")), AccessToken(SharedSecret("tested"), role: role)]
        } _: { server async throws in
            let (all, tested) = (["Authorization": "Bearer all"], ["Authorization": "Bearer tested"])
            let path = "/v1/accounts/42/evidence"
            _ = try await server.post(
                path, evidence(token(), token("com.example.maps", transaction: "9")), headers: all)
            let garbage = try await server.post(path, evidence("x"), headers: tested)
            let own = try await server.post(path, evidence(token()), headers: tested)
            let account = try await server.get("/v1/accounts/42/entitlements", headers: tested)
            switch role {
            case .verify:
                #expect(strings(garbage, "purchases") == [])
                #expect(states(garbage).isEmpty)
                #expect(strings(own, "purchases") == ["77"])
                #expect(states(own) == ["com.example.pro": "owned"])
                #expect(account.errorCode == "role-insufficient")
            case .read, .admin:
                #expect(strings(garbage, "purchases") == ["77", "9"])
                #expect(states(garbage).count == 2)
                #expect(strings(own, "purchases") == ["77", "9"])
                #expect(account.status == 200)
            case .support:
                #expect(garbage.errorCode == "role-insufficient")
                #expect(own.json["error"]?["message"]?.string?.hasSuffix("'verify' or 'read' or 'admin'.") == true)
                #expect(account.status == 200)
            }
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A rejection names what the app is compared with, but no app of other tokens")
    func otherApp() async throws {
        let apps: Set = ["com.example.a", "com.example.b", "com.example.c"]
        try await TestServer.with {
            $0.bundleIdentifiers = apps
            $0.tokens = [
                AccessToken(SharedSecret("all")), AccessToken(SharedSecret("a"), name: "a", apps: ["com.example.a"]),
            ]
        } _: { server async throws in
            for (token, expected) in [("all", "one of the 3 expected apps"), ("a", "“com.example.a”")] {
                let headers = ["Authorization": "Bearer " + token]
                let message = "The receipt is for “com.example.app”, not for \(expected)."
                let rejected = try await server.post("/v1/accounts/42/evidence", evidence(receipt()), headers: headers)
                #expect(rejected.json["rejected"]?[0]?["code"]?.string == "bundle-identifier-mismatch")
                #expect(rejected.json["rejected"]?[0]?["message"]?.string == message)
                let report = try await server.post(
                    "/v1/receipts/validate", ["receipt": .string(receipt())], headers: headers)
                #expect(report.json["failure"]?["message"]?.string == message)
            }
            let body: AppStoreJSON = try ["receipt": .string(receipt()), "bundle-id": "com.example.d"]
            let all = try await server.post("/v1/receipts/validate", body, headers: ["Authorization": "Bearer all"])
            #expect(all.errorCode == "bundle-not-served")
            #expect(all.text.contains("com.example.b"))
            let restricted = try await server.post(
                "/v1/receipts/validate", body, headers: ["Authorization": "Bearer a"])
            #expect(restricted.errorCode == "app-not-allowed")
            #expect(restricted.text.contains("'com.example.d'"))
            #expect(!restricted.text.contains("com.example.b"))
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A purchase of another account is a replay, and stays the other account's")
    func replays() async throws {
        try await TestServer.with { server async throws in
            _ = try await server.post("/v1/accounts/42/evidence", evidence(receipt()))
            let other = try await server.post("/v1/accounts/43/evidence", evidence(receipt()))
            #expect(strings(other, "replays") == ["77"])
            #expect(states(other).isEmpty)
            #expect(try await server.get("/v1/accounts/43/entitlements").errorCode == "account-unknown")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The newest signed appAccountToken owns a purchase, whoever submitted it")
    func signedOwner() async throws {
        try await TestServer.with { server async throws in
            _ = try await server.post("/v1/signed-data/verify", Array(token(account: owner).utf8))
            let account = try await server.get("/v1/accounts/\(owner.uppercased())/entitlements")
            #expect(states(account) == ["com.example.pro": "owned"])
            #expect(account.json["account"]?.string == owner)
            let path = "/v1/accounts/9b9a2e11-3c55-4b0e-9d0f-5a1f2f0e7a42/purchases/77"
            let rejected = try await server.send(.put, path)
            #expect(rejected.status == 409)
            #expect(rejected.errorCode == "account-signed")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A purchase with a signed owner is a replay of every other account, which can't delete it")
    func signedForAnother() async throws {
        try await TestServer.with { server async throws in
            let response = try await server.post("/v1/accounts/mallory/evidence", evidence(token(account: owner)))
            #expect(strings(response, "replays") == ["77"])
            #expect(states(response).isEmpty)
            #expect(try await server.send(.delete, "/v1/accounts/mallory").errorCode == "account-unknown")
            #expect(states(try await server.get("/v1/accounts/\(owner)/entitlements")) == ["com.example.pro": "owned"])
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A notification of a known purchase binds it to the account")
    func notification() async throws {
        let notification = try TestNotification(type: .oneTimeCharge).with { $0.signedTransactionInfo = try token() }
            .signed()
        try await TestServer.with { server async throws in
            _ = try await server.post("/v1/signed-data/verify", Array(token().utf8))
            let response = try await server.post("/v1/accounts/42/evidence", evidence(notification))
            #expect(strings(response, "purchases") == ["77"])
            #expect(states(response) == ["com.example.pro": "owned"])
            #expect(try await server.get("/v1/purchases/77").json["account"]?.string == "42")
            let events = try await server.get("/v1/events").json["events"]?.array ?? []
            #expect(events.map { $0["type"]?.string } == ["activated", "transferred"])
            #expect(events.map { $0["account"]?.string } == [nil, "42"])
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("PUT moves a purchase that was only submitted")
    func rebound() async throws {
        try await TestServer.with { server async throws in
            _ = try await server.post("/v1/accounts/42/evidence", evidence(receipt()))
            #expect(try await server.send(.put, "/v1/accounts/43/purchases/77").status == 204)
            #expect(try await server.get("/v1/accounts/42/entitlements").errorCode == "account-unknown")
            #expect(states(try await server.get("/v1/accounts/43/entitlements")) == ["com.example.pro": "owned"])
            let unknown = try await server.send(.put, "/v1/accounts/43/purchases/78")
            #expect(unknown.status == 404)
            #expect(unknown.errorCode == "purchase-unknown")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("PUT names the original transaction if another one is named, and has only the members that are options")
    func misnamed() async throws {
        let renewal = try TestTransaction(
            "com.example.plus", transaction: "78", original: "70", at: instant("2024-06-01T00:00:00Z"),
            until: instant("2024-07-01T00:00:00Z")
        ).signed()
        try await TestServer.with { server async throws in
            _ = try await server.post("/v1/accounts/42/evidence", evidence(renewal))
            let later = try await server.send(.put, "/v1/accounts/43/purchases/78")
            #expect(later.errorCode == "purchase-unknown")
            #expect(later.json["error"]?["message"]?.string?.contains(" 70.") == true)
            let path = "/v1/accounts/43/purchases/70"
            let unknown = try await server.send(.put, path, body: Array(#"{"force": true}"#.utf8))
            #expect(unknown.errorCode == "option-unknown")
            let options = #"{"bundle-id": "com.example.app", "environment": "sandbox"}"#
            #expect(try await server.send(.put, path, body: Array(options.utf8)).status == 204)
            let deleted = try await server.send(.delete, "/v1/accounts/43", body: Array(#"{"all": true}"#.utf8))
            #expect(deleted.errorCode == "option-unknown")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test(
        "An empty account in the path is never another component",
        arguments: [
            (.get, "//entitlements"), (.post, "//evidence"), (.put, "//purchases/77"), (.delete, "//entitlements"),
        ] as [(HTTPRequest.Method, String)])
    func emptyAccount(method: HTTPRequest.Method, path: String) async throws {
        try await TestServer.with { server async throws in
            #expect(try await server.send(method, "/v1/accounts" + path).errorCode == "account-malformed")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("After DELETE the account is unknown, and its old receipt is still refunded")
    func forgotten() async throws {
        try await TestServer.with { server async throws in
            _ = try await server.post("/v1/accounts/42/evidence", evidence(receipt(), token(refunded: true)))
            let forgotten = try await server.send(.delete, "/v1/accounts/42")
            #expect(forgotten.json == ["purchases": 1])
            #expect(forgotten.headers["x-event-cursor"] == "1")
            #expect(try await server.get("/v1/accounts/42/entitlements").status == 404)
            #expect(try await server.get("/v1/purchases/77").errorCode == "purchase-unknown")
            #expect(try await server.send(.delete, "/v1/accounts/42").errorCode == "account-unknown")
            let again = try await server.post("/v1/accounts/42/evidence", evidence(receipt()))
            #expect(states(again) == ["com.example.pro": "refunded"])
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Apps, environments and products restrict the answer, and each entitlement names its app")
    func restricted() async throws {
        try await TestServer.with { server async throws in
            _ = try await server.post(
                "/v1/accounts/42/evidence",
                evidence(token(), token("com.example.maps", transaction: "9", app: "com.example.other")))
            func products(_ query: String) async throws -> Set<String> {
                Set(states(try await server.get("/v1/accounts/42/entitlements" + query)).keys)
            }
            #expect(try await products("") == ["com.example.pro", "com.example.maps"])
            #expect(try await products("?bundle-id=com.example.other") == ["com.example.maps"])
            #expect(try await products("?environment=sandbox").count == 2)
            #expect(try await products("?environment=production").isEmpty)
            #expect(try await products("?product=com.example.pro&product=com.example.none") == ["com.example.pro"])
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test(
        "Malformed requests are errors",
        arguments: [
            ("/v1/accounts/42/entitlements?products=a", "option-unknown"),
            ("/v1/accounts/a%20b/entitlements", "account-malformed"),
            ("/v1/accounts/%FF/entitlements", "path-malformed"),
            ("/v1/accounts/42/entitlements?environment=moon", "option-malformed"),
        ])
    func malformed(path: String, code: String) async throws {
        try await TestServer.with { server async throws in
            #expect(try await server.get(path).errorCode == code)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test(
        "Evidence is a list of texts",
        arguments: [
            ("{}", "content-missing", "no member 'evidence'"),
            ("{\"evidence\": []}", "option-malformed", "must be a list that isn't empty."),
            ("{\"evidence\": [1]}", "option-mistyped", "must be a list of strings."),
            ("{\"evidence\": \"x\"}", "option-mistyped", "must be a list of strings."),
            ("[]", "body-malformed", "Send {\"evidence\": [\"…\"]}."),
            ("MIIT", "body-malformed", "Send {\"evidence\": [\"…\"]}."),
            ("{\"evidence\": [\"x\"], \"account\": \"1\"}", "option-unknown", "'account'"),
        ])
    func malformedEvidence(body: String, code: String, text: String) async throws {
        try await TestServer.with { server async throws in
            let response = try await server.post("/v1/accounts/42/evidence", Array(body.utf8))
            #expect(response.errorCode == code)
            #expect(response.json["error"]?["message"]?.string?.contains(text) == true)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Damaged and truncated texts are rejected by their positions, and the rest is recorded")
    func damaged() async throws {
        let (receipt, token) = (try receipt(), try token())
        let texts: [String] = [
            "", String(receipt.dropLast(100)), receipt, String(token.dropLast(10)), String(token.prefix(30)), "{}",
            String(receipt.dropFirst(7)), "{\"receipt-data\": \"" + receipt.prefix(400), "[\"eyJ\", 1]",
        ]
        try await TestServer.with { server async throws in
            let response = try await server.post(
                "/v1/accounts/42/evidence", ["evidence": .array(texts.map { .string($0) })])
            #expect(states(response) == ["com.example.pro": "owned"])
            let indices = response.json["rejected"]?.array?.map { $0["index"]?.number?.int64 }
            #expect(indices == [0, 1, 3, 4, 5, 6, 7, 8])
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A text with more documents than are read is rejected, because a part could grant what the rest revokes")
    func tooMany() async throws {
        let tokens = [try token()] + Array(repeating: "x", count: EvidenceInput.maxItems)
        let text = AppStoreJSON.object(["signedTransactions": .array(tokens.map { .string($0) })]).text()
        try await TestServer.with { server async throws in
            let response = try await server.post(
                "/v1/accounts/42/evidence", evidence(String(decoding: text, as: UTF8.self)))
            let codes = response.json["rejected"]?.array?.map { $0["code"]?.string }
            #expect(codes?.last == "input-too-large")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A list of texts has a limit, so that no response is larger than its request by orders of magnitude")
    func manyTexts() async throws {
        try await TestServer.with { server async throws in
            for (count, code) in [(1000, nil), (1001, "option-malformed")] as [(Int, String?)] {
                let body: AppStoreJSON = ["evidence": .array(Array(repeating: "", count: count))]
                let response = try await server.post("/v1/accounts/42/evidence", body)
                #expect(response.errorCode == code)
            }
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A text of an environment in which its app isn't served doesn't stop the rest")
    func notServed() async throws {
        let other = try token("com.example.maps", transaction: "9", app: "com.example.other")
        try await TestServer.with {
            var (first, second) = (
                AppConfiguration(bundleIdentifier: "com.example.app"),
                AppConfiguration(bundleIdentifier: "com.example.other")
            )
            (first.environments, second.environments) = ([.production], [.sandbox])
            $0.apps = [first, second]
        } _: { server async throws in
            let body: AppStoreJSON = [
                "evidence": [.string(try receipt()), .string(other)], "environment": ["sandbox"],
            ]
            let response = try await server.post("/v1/accounts/42/evidence", body)
            #expect(states(response) == ["com.example.maps": "owned"])
            #expect(response.json["rejected"]?.array?.map { $0["index"]?.number?.int64 } == [0])
            #expect(response.json["rejected"]?[0]?["code"]?.string == "environment-not-served")
            #expect(response.json["rejected"]?[0]?["remedy"]?.string?.isEmpty == false)
        }
        try await TestServer.with {
            $0.environments = [.production]
        } _: { server async throws in
            let body: AppStoreJSON = ["evidence": [.string(try receipt())], "environment": ["sandbox"]]
            let response = try await server.post("/v1/accounts/42/evidence", body)
            #expect(response.errorCode == "environment-not-served")
        }
    }
}
#endif
