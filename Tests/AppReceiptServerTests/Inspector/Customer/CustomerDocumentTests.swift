#if Server
import AppReceiptKit
import AppReceiptServer
import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing
import VerifyReceipt

@Suite("CustomerDocument")
struct CustomerDocumentTests {
    private static let start = instant("2024-05-01T10:00:00Z")

    /// A transaction of com.example.pro of the account 42.
    private static func transaction(_ change: (inout TestTransaction) -> Void = { _ in }) -> TestTransaction {
        var transaction = TestTransaction("com.example.pro", transaction: "1", at: start)
        transaction.signedDate = start + 60
        change(&transaction)
        return transaction
    }

    private static func receipt() throws -> [UInt8] {
        try TestReceipt().with {
            $0.creationDate = start + 60
            $0.purchases = [TestPurchase("com.example.pro", transaction: "1", at: start)]
        }.signed()
    }

    @available(AppReceiptServer 1.0, *)
    private static func examine(_ text: String, at server: TestServer) async throws -> ServerResponse {
        try await server.post(
            "/v1/inspector/examine", ["input": .string(Data(text.utf8).base64EncodedString())])
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The purchases of several customers in one input are evaluated and named each by itself")
    func severalCustomers() async throws {
        func receipt(_ transaction: String, until end: String) throws -> String {
            let receipt = try TestReceipt().with {
                $0.creationDate = Self.start + 60
                $0.purchases = [
                    TestPurchase(
                        subscription: "com.example.monthly", transaction: transaction, from: Self.start,
                        to: instant(end))
                ]
            }.signed()
            return Data(receipt).base64EncodedString()
        }
        let bob = try receipt("1", until: "2024-06-01T00:00:00Z")
        let anna = try receipt("2", until: "2099-05-01T00:00:00Z")
        let mail = "Mine is locked:\n\n\(bob)\n\nThis one works:\n\n\(anna)\n"
        try await TestServer.with { server async throws in
            let unknown = try await Self.examine(mail, at: server).json["products"]?.array
            #expect(unknown?.map { $0["isActive"] } == [false, true])
            for (account, receipt) in [("bob", bob), ("anna", anna)] {
                _ = try await server.post("/v1/accounts/\(account)/evidence", ["evidence": [.string(receipt)]])
            }
            let page = try await Self.examine(mail, at: server).json
            #expect(page["customer"]?["accounts"] == ["anna", "bob"])
            #expect(page["products"]?.array?.map { $0["account"] } == ["bob", "anna"])
            #expect(page["products"]?.array?.map { $0["isActive"] } == [false, true])
            #expect(page["history"]?.array?.count == 2)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The page has the answer of the validation route, also if the server has the refund that a receipt lacks")
    func oneAnswer() async throws {
        let refunded = try Self.transaction {
            $0.signedDate = Self.start + 86_400
            $0.revocationDate = Self.start + 80_000
        }.signed()
        let receipt = Data(try Self.receipt()).base64EncodedString()
        try await TestServer.with { server async throws in
            let before = try await Self.examine(receipt, at: server)
            #expect(before.json["products"]?.array?.first?["state"] == "owned")
            #expect(before.json["products"]?.array?.first?["decidedBy"]?["isInput"] == true)
            #expect(before.json["customer"]?["stored"] == 0)
            _ = try await server.post("/v1/accounts/42/evidence", ["evidence": [.string(refunded)]])
            let page = try await Self.examine(receipt, at: server)
            let api = try await server.post("/v1/receipts/validate", ["receipt": .string(receipt)])
            let products = try #require(page.json["products"]?.array?.first?.object)
            let validated = try #require(api.json["products"]?.array?.first?.object)
            for member in validated.members { #expect(products[member.name] == member.value, "\(member.name)") }
            #expect(products["state"] == "refunded")
            #expect(products["decidedBy"]?["kind"] == "transaction")
            #expect(products["decidedBy"]?["isInput"] == false)
            #expect(products["forCustomer"]?.string?.contains("2 May 2024") == true)
            #expect(products["forTicket"]?.string?.contains("Original transaction 1") == true)
            #expect(page.json["customer"]?["accounts"] == ["42"])
            #expect(page.json["history"]?.array?.map { $0["kind"] } == ["revocation", "purchase"])
            // The input's own claims are still there.
            #expect(page.json["verdict"] == "valid")
            #expect(page.json["receipt"]?["purchases"]?.array?.count == 1)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Several documents count together, and what is rejected never hides the rest")
    func severalItems() async throws {
        var forged = try Self.receipt()
        forged[forged.count - 1] ^= 1
        let token = try Self.transaction {
            $0.productIdentifier = "com.example.plus"
            $0.transactionIdentifier = "2"
            $0.originalTransactionIdentifier = "2"
        }.signed()
        let text = """
            Hi, here is my receipt:

            > \(Data(try Self.receipt()).base64EncodedString())

            And these, thanks:
            \(token)
            \(Data(forged).base64EncodedString())
            """
        try await TestServer.with { server async throws in
            let page = try await Self.examine(text, at: server)
            #expect(page.json["input"]?["items"] == 3)
            let products = page.json["products"]?.array?.map { $0["productIdentifier"]?.string }
            #expect(products == ["com.example.plus", "com.example.pro"])
            #expect(page.json["rejected"]?.array?.map { $0["index"] } == [2])
            #expect(page.json["rejected"]?.array?.first?["code"] == "signature-invalid")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A damaged document never hides the others, also if it is the first")
    func firstItemDamaged() async throws {
        let token = try Self.transaction().signed()
        var forged = try Self.receipt()
        forged[forged.count - 1] ^= 1
        try await TestServer.with { server async throws in
            let page = try await Self.examine("\(Data(forged).base64EncodedString())\n\n\(token)\n", at: server)
            #expect(page.json["verdict"] == "valid")
            #expect(page.json["kind"] == "signed-data")
            #expect(page.json["input"]?["index"] == 1)
            #expect(page.json["products"]?.array?.first?["state"] == "owned")
            #expect(page.json["rejected"]?.array?.map { $0["index"] } == [0])
            let invalid = try await Self.examine(Data(forged).base64EncodedString(), at: server)
            #expect(invalid.json["verdict"] == "invalid")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A purchase of several says how many others its account has, and a test is called one")
    func otherPurchases() async throws {
        let token = try Self.transaction().signed()
        let other = try Self.transaction {
            ($0.transactionIdentifier, $0.environment) = ("2", .production)
        }.signed()
        try await TestServer.with { server async throws in
            _ = try await server.post(
                "/v1/accounts/42/evidence", ["evidence": [.string(token), .string(other)]])
            let one = try await Self.examine(token, at: server)
            #expect(one.json["customer"]?["otherPurchases"] == ["42": 1])
            #expect(one.json["products"]?[0]?["environment"] == "sandbox")
            #expect(one.json["products"]?[0]?["forCustomer"]?.string?.contains("test purchase") == true)
            #expect(one.json["history"]?.array?.map { $0["environment"] } == ["sandbox"])
            let account = try await server.post("/v1/inspector/examine", ["search": "42"])
            #expect(account.json["customer"]?["otherPurchases"] == ["42": 0])
            let third = try Self.transaction { $0.transactionIdentifier = "3" }.signed()
            _ = try await server.post("/v1/accounts/43/evidence", ["evidence": [.string(third)]])
            let both = try await Self.examine("\(token)\n\(third)", at: server)
            #expect(both.json["customer"]?["otherPurchases"] == ["42": 1, "43": 0])
            #expect(
                account.json["history"]?.array?.map { $0["bundleIdentifier"] } == [
                    "com.example.app", "com.example.app",
                ])
            let places = account.json["products"]?.array?.map { $0["environment"] }
            #expect(places == ["production", "sandbox"])
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A receipt of several purchases is listed once")
    func evidenceOfSeveralPurchases() async throws {
        let receipt = try TestReceipt().with {
            $0.purchases = ["1", "2", "3"].map { TestPurchase("pro", transaction: $0, at: Self.start) }
        }.signed()
        try await TestServer.with { server async throws in
            let text = Data(receipt).base64EncodedString()
            for isStored in [false, true] {
                let page = try await Self.examine(text, at: server)
                #expect(page.json["evidence"]?.array?.count == 1)
                #expect((page.json["evidence"]?[0]?["receivedDate"] != .null) == isStored)
                _ = try await server.post("/v1/accounts/42/evidence", ["evidence": [.string(text)]])
            }
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A search is within the requested app and environment")
    func searchWithinScopes() async throws {
        let token = try Self.transaction().signed()
        try await TestServer.with { server async throws in
            _ = try await server.post("/v1/accounts/42/evidence", ["evidence": [.string(token)]])
            for text in ["42", "1"] {
                let other = try await server.post(
                    "/v1/inspector/examine", ["search": .string(text), "bundle-id": "com.example.other"])
                #expect(other.errorCode == "customer-unknown")
                let production = try await server.post(
                    "/v1/inspector/examine", ["search": .string(text), "environment": "production"])
                #expect(production.errorCode == "customer-unknown")
                let own = try await server.post(
                    "/v1/inspector/examine", ["search": .string(text), "environment": "sandbox"])
                #expect(own.status == 200)
            }
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A customer is found by account and by transaction, with amounts, the storefront and the name of the product")
    func search() async throws {
        let token = try Self.transaction {
            $0.overrides = ["price": 9990, "currency": "EUR", "storefront": "DEU"]
        }.signed()
        try await TestServer.with {
            var app = AppConfiguration(bundleIdentifier: "com.example.app")
            app.productNames = ["com.example.pro": "Pro"]
            $0.apps = [app]
        } _: { server async throws in
            _ = try await server.post("/v1/accounts/42/evidence", ["evidence": [.string(token)]])
            for (text, match) in [(" 42 ", "account"), ("1", "transaction")] {
                let found = try await server.post("/v1/inspector/examine", ["search": .string(text)])
                #expect(found.json["kind"] == "customer")
                #expect(found.json["match"] == .string(match))
                #expect(found.json["products"]?.array?.first?["name"] == "Pro")
                #expect(found.json["customer"]?["accounts"] == ["42"])
                let entry = found.json["history"]?.array?.first
                #expect(entry?["price"] == "9.99 EUR")
                #expect(entry?["storefront"] == "DEU")
            }
            let unknown = try await server.post("/v1/inspector/examine", ["search": "43"])
            #expect(unknown.status == 404)
            #expect(unknown.errorCode == "customer-unknown")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A response of verifyReceipt without the receipt is shown as claims, and proves nothing")
    func claimedPurchases() async throws {
        let text = #"{"status": 0, "receipt": {"bundle_id": "com.example.app", "in_app": [{"product_id": "pro"}]}}"#
        try await TestServer.with { server async throws in
            let page = try await Self.examine(text, at: server)
            #expect(page.json["failure"]?["code"] == "response-without-receipt")
            #expect(page.json["isProven"] == false)
            #expect(page.json["products"] == [])
            #expect(page.json["claimed"]?["verified"] == false)
            #expect(page.json["claimed"]?["purchases"]?.array?.first?["productIdentifier"] == "pro")
            let error = try await Self.examine(#"{"status": 21003}"#, at: server)
            #expect(error.json["failure"]?["code"] == "response-without-receipt")
            #expect(error.json["claimed"]?["status"] == 21003)
            #expect(error.json["isProven"] == false)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A transaction without a signature is shown as claims, and leads to what Apple signed")
    func unsignedTransaction() async throws {
        let text = """
            {"transactionId": "1", "originalTransactionId": "1", "bundleId": "com.example.app", "productId": "pro",
             "purchaseDate": 1700000000000, "environment": "Sandbox", "type": "Non-Consumable"}
            """
        let long = text.replacingOccurrences(of: "\"1\"", with: "\"2000000000000042\"")
        try await TestServer.with { server async throws in
            let page = try await Self.examine(text, at: server)
            #expect(page.json["failure"]?["code"] == "token-unsigned")
            #expect(page.json["isProven"] == false)
            #expect(page.json["products"] == [])
            #expect(page.json["claimed"]?["isResponse"] == false)
            #expect(page.json["claimed"]?["purchases"]?.array?.first?["productIdentifier"] == "pro")
            #expect(page.json["payload"]?["productId"] == "pro")
            let unknown = try await Self.examine(long, at: server)
            #expect(unknown.json["lookup"] == "unknown")
            let purchase = TestTransaction("com.example.pro", transaction: "2000000000000042", at: Self.start)
            let token = try purchase.with { $0.signedDate = Self.start + 60 }.signed()
            _ = try await server.post("/v1/accounts/42/evidence", ["evidence": [.string(token)]])
            let known = try await Self.examine(long, at: server)
            #expect(known.json["match"] == "claims")
            #expect(known.json["customer"]?["accounts"] == ["42"])
            #expect(known.json["claimed"]?["isResponse"] == false)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("An app that the server doesn't serve isn't valid on the page either")
    func appNotServed() async throws {
        let receipt = Data(try Self.receipt()).base64EncodedString()
        try await TestServer.with {
            $0.apps = [AppConfiguration(bundleIdentifier: "com.example.other")]
        } _: { server async throws in
            let page = try await Self.examine(receipt, at: server)
            let api = try await server.post("/v1/receipts/validate", ["receipt": .string(receipt)])
            #expect(page.json["verdict"] == "invalid")
            #expect(page.json["failure"]?["code"] == "bundle-identifier-mismatch")
            #expect(page.json["failure"]?["code"] == api.json["failure"]?["code"])
            #expect(page.json["customer"] == nil)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A token of support finds only the customers of its apps")
    func apps() async throws {
        let token = try Self.transaction().signed()
        try await TestServer.with {
            $0.tokens = [
                AccessToken(SharedSecret("admin-token-of-32-characters-xxxx")),
                AccessToken(
                    SharedSecret("support-token-of-32-characters-xx"), name: "support", role: .support,
                    apps: ["com.example.other"]),
            ]
        } _: { server async throws in
            let admin = ["Authorization": "Bearer admin-token-of-32-characters-xxxx"]
            let support = ["Authorization": "Bearer support-token-of-32-characters-xx"]
            let recorded = try await server.post(
                "/v1/accounts/42/evidence", ["evidence": [.string(token)]], headers: admin)
            #expect(recorded.status == 200)
            for text in ["42", "1"] {
                let found = try await server.post(
                    "/v1/inspector/examine", ["search": .string(text)], headers: support)
                #expect(found.errorCode == "customer-unknown")
                let own = try await server.post("/v1/inspector/examine", ["search": .string(text)], headers: admin)
                #expect(own.status == 200)
            }
            func examine(_ text: String) async throws -> ServerResponse {
                try await server.post(
                    "/v1/inspector/examine", ["input": .string(Data(text.utf8).base64EncodedString())], headers: support
                )
            }
            #expect(try await examine(token).errorCode == "app-not-allowed")
            // The app of one document doesn't decide about the others.
            let own = try Self.transaction { $0.bundleIdentifier = "com.example.other" }.signed()
            let mail = try await examine("Hi\n\(token)\nand\n\(own)\n")
            #expect(mail.json["input"]?["index"] == 1)
            #expect(mail.json["products"]?.array?.map { $0["bundleIdentifier"] } == ["com.example.other"])
            #expect(mail.json["rejected"]?.array?.map { $0["code"] } == ["app-not-allowed"])
            #expect(try await examine("\(token)\n\(token)2").errorCode == "app-not-allowed")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Documents of several apps are compared each with its own app, and what isn't served is rejected")
    func severalApps() async throws {
        let tokens = try ["com.example.other", "com.example.app", "com.example.foreign"].map { app in
            try Self.transaction { $0.bundleIdentifier = app }.signed()
        }
        try await TestServer.with {
            $0.bundleIdentifiers = ["com.example.app", "com.example.other"]
        } _: { server async throws in
            for order in [[0, 1, 2], [2, 0, 1], [1, 2, 0]] {
                let page = try await Self.examine(order.map { tokens[$0] }.joined(separator: "\n"), at: server)
                let apps = page.json["products"]?.array?.map { $0["bundleIdentifier"] }
                #expect(apps == ["com.example.app", "com.example.other"])
                #expect(page.json["rejected"]?.array?.map { $0["code"] } == ["bundle-identifier-mismatch"])
                #expect(page.json["verdict"] == "valid")
            }
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("An account that is a hash has the name that the message gives, and none if it gives none or another's")
    func hashedAccounts() async throws {
        let name = "anna@example.com"
        let token = try Self.transaction().signed()
        let other = try Self.transaction { $0.transactionIdentifier = "2" }.signed()
        for isHashed in [true, false] {
            try await TestServer.with {
                $0.hashesAccounts = isHashed
            } _: { server async throws in
                _ = try await server.post("/v1/accounts/\(name)/evidence", ["evidence": [.string(token)]])
                _ = try await server.post("/v1/accounts/user-2/evidence", ["evidence": [.string(other)]])
                let unnamed = [
                    try await server.post("/v1/inspector/examine", ["search": "1"]),
                    try await Self.examine("From: user-2\n\n\(token)", at: server),
                ]
                for page in unnamed { #expect(Self.names(in: page) == (isHashed ? [] : [name])) }
                let named = [
                    try await server.post("/v1/inspector/examine", ["search": .string(name)]),
                    try await Self.examine("From: Anna <Anna@Example.com>\n\n\(token)", at: server),
                    try await Self.examine("\(name) bought transaction 1", at: server),
                ]
                for page in named { #expect(Self.names(in: page) == [name]) }
                let both = try await Self.examine("\(name), user-2\n\(token)\n\(other)", at: server)
                #expect(Set(Self.names(in: both)) == [name, "user-2"])
            }
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The history has each notification once, also of several customers, with what its subtype says")
    func notifications() async throws {
        let tokens = try ["1", "2"].map { number in
            try Self.transaction {
                $0.transactionIdentifier = number
                $0.expirationDate = Self.start + 2_592_000
            }.signed()
        }
        let notifications = try [
            TestNotification(type: .didFailToRenew, subtype: .gracePeriod),
            TestNotification(type: .didChangeRenewalStatus, subtype: .autoRenewDisabled).with {
                $0.notificationUUID = "00000000-0000-4000-8000-000000000002"
                $0.signedDate += 60
            },
        ].map { notification in
            try notification.with { $0.signedTransactionInfo = tokens[0] }.signed()
        }
        try await TestServer.with { server async throws in
            for (account, token) in zip(["anna", "bob"], tokens) {
                _ = try await server.post("/v1/accounts/\(account)/evidence", ["evidence": [.string(token)]])
            }
            for notification in notifications {
                _ = try await server.post("/v1/notifications", ["signedPayload": .string(notification)])
            }
            let page = try await Self.examine(tokens.joined(separator: "\n"), at: server)
            let entries = page.json["history"]?.array?.filter { $0["kind"] == "notification" } ?? []
            #expect(
                Set(entries.compactMap { $0["words"]?.string }) == [
                    "Apple notified: The renewal couldn't be billed. The billing grace period began.",
                    "Apple notified: Renewal was turned off.",
                ])
            #expect(entries.map { $0["product"] } == ["com.example.pro", "com.example.pro"])
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A hash has the name that a token signs")
    func hashOfToken() async throws {
        let token = try Self.transaction {
            $0.overrides = ["appAccountToken": "3F2504E0-4F89-11D3-9A0C-0305E82C3301"]
        }.signed()
        try await TestServer.with {
            $0.hashesAccounts = true
        } _: { server async throws in
            _ = try await server.post("/v1/accounts/user-42/evidence", ["evidence": [.string(token)]])
            let page = try await Self.examine(token, at: server)
            #expect(Self.names(in: page) == ["3f2504e0-4f89-11d3-9a0c-0305e82c3301"])
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A message that names the account of a hash knows the account's other purchases")
    func otherPurchasesOfHash() async throws {
        let tokens = try ["1", "2"].map { number in
            try Self.transaction { $0.transactionIdentifier = number }.signed()
        }
        try await TestServer.with {
            $0.hashesAccounts = true
        } _: { server async throws in
            _ = try await server.post(
                "/v1/accounts/user-42/evidence", ["evidence": .array(tokens.map { .string($0) })])
            let page = try await Self.examine("user-42\n\n\(tokens[0])", at: server)
            let hash = try #require(page.json["customer"]?["accounts"]?[0]?.string)
            #expect(page.json["customer"]?["otherPurchases"]?[hash] == 1)
        }
    }

    /// The names of the accounts in a document.
    private static func names(in page: ServerResponse) -> [String] {
        page.json["customer"]?["names"]?.object?.members.compactMap(\.value.string) ?? []
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Renewal information counts together with its transaction in any order")
    func renewalBesideTransaction() async throws {
        let period = try Self.transaction { $0.expirationDate = Self.start + 2_592_000 }.signed()
        let renewal = try TestRenewalInfo("com.example.pro", original: "1").signed()
        try await TestServer.with { server async throws in
            for texts in [[period, renewal], [renewal, period]] {
                let page = try await Self.examine(texts.joined(separator: "\n"), at: server)
                #expect(page.json["rejected"] == [])
                #expect(page.json["products"]?.array?.count == 1)
            }
        }
    }
}
#endif
