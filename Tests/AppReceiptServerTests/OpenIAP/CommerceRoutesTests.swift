#if Server
import AppReceiptKit
import AppReceiptServer
import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing
import VerifyReceipt

@Suite("CommerceRoutes")
struct CommerceRoutesTests {
    private static let path = "/commerce/v1/"

    private static func input(_ token: String, user: String? = nil) -> AppStoreJSON {
        var object: AppStoreJSON.Object = ["store": "apple", "apple": ["jws": .string(token)]]
        object["userId"] = user.map { .string($0) }
        return .object(object)
    }

    private static func owned(refunded: Bool = false) throws -> String {
        try TestTransaction("com.example.pro", transaction: "7", at: instant("2024-06-01T00:00:00Z")).with {
            $0.revocationDate = refunded ? instant("2024-08-01T00:00:00Z") : nil
            $0.signedDate = refunded ? instant("2024-12-01T00:00:00Z") : instant("2024-06-01T00:00:01Z")
        }.signed()
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The capabilities say what is there, to everybody")
    func capabilities() async throws {
        try await TestServer.with {
            $0.tokens = [AccessToken(SharedSecret("secret"))]
        } _: { server async throws in
            let document = try await server.get(Self.path + "capabilities").json
            #expect(document["commerceProtocolVersion"] == "1.0")
            let axes = document["stores"]?["apple"]?.object
            #expect(axes?.members.count == 9)
            for axis in axes?.members ?? [] {
                let isComplete = axis.value["provider"] == true && axis.value["implementation"] == true
                #expect(isComplete || axis.value["notes"]?.string != nil, "\(axis.name)")
            }
            #expect(document["eventTypes"]?.array?.isEmpty == false)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A purchase is verified, bound once, read and erased")
    func lifecycle() async throws {
        try await TestServer.with { server async throws in
            let token = try Self.owned()
            let verified = try await server.post(Self.path + "purchases/verify", Self.input(token))
            #expect(verified.status == 200)
            #expect(verified.json["isValid"] == true)
            #expect(verified.json["state"] == "ENTITLED")
            #expect(verified.json["productId"] == "com.example.pro")
            let bound = try await server.post(Self.path + "purchases/bind", Self.input(token, user: "ann"))
            #expect(bound.json == ["bound": true])
            let again = try await server.post(Self.path + "purchases/bind", Self.input(token, user: "ann"))
            #expect(again.json == ["bound": true])
            let other = try await server.post(Self.path + "purchases/bind", Self.input(token, user: "ben"))
            #expect(other.json == ["bound": false])
            let owned = try await server.get(Self.path + "entitlements?userId=ann")
            #expect(owned.json == ["userId": "ann", "productIds": ["com.example.pro"], "subscriptions": []])
            let status = try await server.get(Self.path + "subscriptions/status?userId=ann")
            #expect(status.json == ["active": false])
            for _ in 0..<2 {
                let erased = try await server.post(Self.path + "users/erase", ["userId": "ann"])
                #expect(erased.status == 202)
                #expect(erased.json["accepted"] == true)
            }
            #expect(try await server.get(Self.path + "entitlements?userId=ann").json["productIds"] == [])
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A subscription is told with its state and end, also one that is over")
    func subscriptions() async throws {
        let period = try TestTransaction(
            "com.example.plus", transaction: "1", at: instant("2024-06-01T00:00:00Z"),
            until: instant("2024-07-01T00:00:00Z")
        ).signed()
        try await TestServer.with { server async throws in
            _ = try await server.post(Self.path + "purchases/bind", Self.input(period, user: "ann"))
            let status = try await server.get(Self.path + "subscriptions/status?userId=ann").json
            #expect(status["active"] == false)
            #expect(status["subscription"]?["productId"] == "com.example.plus")
            #expect(status["subscription"]?["state"] == "Expired")
            #expect(status["subscription"]?["expiresAt"]?.number?.int64 == 1_719_792_000_000)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A purchase is one token, not a text that contains some")
    func oneToken() async throws {
        try await TestServer.with { server async throws in
            let token = try Self.owned()
            for text in ["\(token) \(token)", "{\"receipt\": \"\(token)\"}", "My token: \(token)"] {
                let verified = try await server.post(Self.path + "purchases/verify", Self.input(text))
                #expect(verified.json["state"] == "INAUTHENTIC")
                #expect(verified.json["rejection"]?.string?.hasPrefix("token-") == true)
                let bound = try await server.post(Self.path + "purchases/bind", Self.input(text, user: "ann"))
                #expect(bound.json == ["bound": false])
            }
            #expect(try await server.get("/v1/purchases/7").status == 404)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The line break at the end of a token's file isn't part of the token")
    func lineBreak() async throws {
        try await TestServer.with { server async throws in
            let verified = try await server.post(Self.path + "purchases/verify", Self.input(try Self.owned() + "\n"))
            #expect(verified.json["isValid"] == true)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The answers about a user can be of one app and environment; other parameters are ignored")
    func scopes() async throws {
        try await TestServer.with { server async throws in
            _ = try await server.post(Self.path + "purchases/bind", Self.input(try Self.owned(), user: "ann"))
            func products(_ query: String) async throws -> AppStoreJSON? {
                try await server.get(Self.path + "entitlements?userId=ann" + query).json["productIds"]
            }
            #expect(try await products("") == ["com.example.pro"])
            #expect(try await products("&environment=sandbox&bundle-id=com.example.app&other=1") == ["com.example.pro"])
            #expect(try await products("&environment=production") == [])
            #expect(try await products("&bundle-id=com.example.other") == [])
            let malformed = try await server.get(Self.path + "subscriptions/status?userId=ann&environment=moon")
            #expect(malformed.json["error"]?["code"] == "INVALID_REQUEST")
            for option in [
                "bundleId=com.example.app", "Environment=sandbox", "bundle_id=a", "env=sandbox", "enviroment=sandbox",
                "environments=sandbox", "bundle=com.example.app", "bundleIdentifier=a",
            ] {
                let misspelled = try await server.get(Self.path + "entitlements?userId=ann&" + option)
                #expect(misspelled.status == 400, "\(option)")
            }
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Products that Unicode treats as equal are others")
    func exactProducts() async throws {
        try await TestServer.with { server async throws in
            let products = ["com.example.caf\u{E9}", "com.example.cafe\u{301}"]
            for (product, transaction) in zip(products, ["7", "8"]) {
                let token = try TestTransaction(product, transaction: transaction).with {
                    // The first one is refunded.
                    $0.revocationDate = transaction == "7" ? instant("2024-08-01T00:00:00Z") : nil
                }.signed()
                let verified = try await server.post(Self.path + "purchases/verify", Self.input(token))
                #expect(verified.json["isValid"] == .boolean(transaction == "8"), "\(transaction)")
            }
            for (product, transaction) in zip(products, ["9", "10"]) {
                let token = try TestTransaction(product, transaction: transaction).signed()
                _ = try await server.post(Self.path + "purchases/bind", Self.input(token, user: "ann"))
            }
            let owned = try await server.get(Self.path + "entitlements?userId=ann").json["productIds"]?.array
            #expect(owned?.count == 2)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A purchase of another app or environment than the request names is neither valid nor bound")
    func restricted() async throws {
        try await TestServer.with { server async throws in
            let input = Self.input(try Self.owned(), user: "ann")
            for (option, code) in [
                ("environment=production", "environment-mismatch"),
                ("bundle-id=com.example.other", "bundle-identifier-mismatch"),
            ] {
                let verified = try await server.post(Self.path + "purchases/verify?" + option, input)
                #expect(verified.json["isValid"] == false, "\(option)")
                #expect(verified.json["rejection"]?.string == code)
                let bound = try await server.post(Self.path + "purchases/bind?" + option, input)
                #expect(bound.json == ["bound": false], "\(option)")
            }
            #expect(try await server.get("/v1/accounts/ann/entitlements").status == 404)
            let bound = try await server.post(Self.path + "purchases/bind?environment=sandbox", input)
            #expect(bound.json == ["bound": true])
            let renewal = try TestRenewalInfo("com.example.pro", original: "9").signed()
            let unproven = try await server.post(
                Self.path + "purchases/bind?bundle-id=com.example.app", Self.input(renewal, user: "ann"))
            #expect(unproven.json == ["bound": false])
            for query in ["", "?bundle-id=com.example.app"] {
                let notPurchase = try await server.post(Self.path + "purchases/verify" + query, Self.input(renewal))
                #expect(notPurchase.json["state"] == "INAUTHENTIC")
                #expect(notPurchase.json["rejection"] == "not-a-purchase")
            }
            var inBody = try #require(input.object)
            inBody["environment"] = "production"
            for route in ["verify", "bind"] {
                for body in [
                    AppStoreJSON.object(inBody),
                    ["store": "apple", "userId": "ann", "apple": ["jws": "x", "bundleId": "com.example.other"]],
                ] {
                    let refused = try await server.post(Self.path + "purchases/" + route, body)
                    #expect(refused.json["error"]?["code"] == "INVALID_REQUEST", "\(route)")
                }
            }
            let misspelled = try await server.post(Self.path + "purchases/verify?bundleId=com.example.other", input)
            #expect(misspelled.json["error"]?["code"] == "INVALID_REQUEST")
            let user: AppStoreJSON = ["userId": "ann"]
            for erasing in [
                try await server.post(Self.path + "users/erase?bundle-id=com.example.other", user),
                try await server.post(Self.path + "users/erase?Environment=production", user),
                try await server.post(Self.path + "users/erase", ["userId": "ann", "bundleId": "com.example.other"]),
            ] {
                #expect(erasing.status == 400)
            }
            #expect(try await server.get("/v1/accounts/ann/entitlements").status == 200)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A rejected purchase is an answer, not an error, and the log says why once")
    func rejected() async throws {
        try await TestServer.with { server async throws in
            for token in ["garbage", "a.b.c", "garbage"] {
                let verified = try await server.post(Self.path + "purchases/verify", Self.input(token))
                #expect(verified.status == 200)
                #expect(verified.json["isValid"] == false)
                let bound = try await server.post(Self.path + "purchases/bind", Self.input(token, user: "ann"))
                #expect(bound.json == ["bound": false])
            }
            let refunded = try await server.post(
                Self.path + "purchases/verify", Self.input(try Self.owned(refunded: true)))
            #expect(refunded.json["isValid"] == false)
            #expect(refunded.json["state"] == "CANCELED")
            #expect(server.log.text.contains("\"code\": token-malformed"))
            let rejected = server.log.text.split(separator: "\n").filter { $0.contains("Evidence rejected") }
            #expect(rejected.count { $0.contains(Self.path + "purchases/verify") } == 2)
            #expect(rejected.count { $0.contains(Self.path + "purchases/bind") } == 2)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Errors have the protocol's form, and the credential is checked before the input")
    func errors() async throws {
        try await TestServer.with {
            $0.tokens = [
                AccessToken(SharedSecret("app"), name: "app", role: .verify), AccessToken(SharedSecret("server")),
            ]
        } _: { server async throws in
            func code(_ response: ServerResponse) -> String? { response.json["error"]?["code"]?.string }
            let (app, all) = (["Authorization": "Bearer app"], ["Authorization": "Bearer server"])
            #expect(code(try await server.post(Self.path + "users/erase", Array("x".utf8))) == "UNAUTHORIZED")
            #expect(
                code(try await server.post(Self.path + "users/erase", Array("x".utf8), headers: app)) == "FORBIDDEN")
            let malformed = try await server.post(Self.path + "users/erase", Array("x".utf8), headers: all)
            #expect(code(malformed) == "INVALID_REQUEST")
            #expect(malformed.status == 400)
            #expect(code(try await server.get(Self.path + "entitlements", headers: all)) == "INVALID_REQUEST")
            #expect(code(try await server.get(Self.path + "entitlements?userId=a", headers: app)) == "FORBIDDEN")
            let google = try await server.post(
                Self.path + "purchases/verify", ["store": "google", "google": [:]], headers: app)
            #expect(google.status == 422)
            #expect(code(google) == "UNSUPPORTED_STORE")
            let unknown = try await server.get(Self.path + "nope", headers: all)
            #expect(unknown.status == 404)
            #expect(code(unknown) == "NOT_FOUND")
            let method = try await server.get(Self.path + "users/erase", headers: all)
            #expect(method.status == 405)
            #expect(method.headers["allow"] == "POST")
            #expect(code(method) == "INVALID_REQUEST")
            #expect(server.log.text.contains("\"code\": UNSUPPORTED_STORE"))
            #expect(server.log.text.contains("\"code\": unauthorized"))
        }
    }
}
#endif
