#if Server
import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import AppStoreServerAPI
import AppStoreServerTesting
import AppStoreSignedData
import Foundation
import TestSupport
import Testing

@testable import AppReceiptServer

@Suite("CustomerSearch")
struct CustomerSearchTests {
    @available(AppReceiptServer 1.0, *)
    private static func with(
        isImpatient: Bool = false, repeats: Bool = false,
        _ body: (TestServer, AppStoreFixture) async throws -> Void
    ) async throws {
        let period = AppStoreFixture.period("350000245250525", from: "2024-11-20T00:00:00Z")
            .with { $0.environment = .production }
        let fixture = AppStoreFixture(purchases: [period], isImpatient: isImpatient, repeats: repeats)
        fixture.fake.addOrder("MQ4B3L1KD9", transactions: ["350000245250525"], app: "com.example.app")
        let configuration = try fixture.configuration()
        try await TestServer.with {
            $0.appStore = configuration
            $0.bundleIdentifiers = ["com.example.app"]
        } _: { server async throws in
            try await body(server, fixture)
        }
    }

    @available(AppReceiptServer 1.0, *)
    private static func search(_ text: String, at server: TestServer) async throws -> ServerResponse {
        try await server.post("/v1/inspector/examine", ["search": .string(text)])
    }

    @available(AppReceiptServer 1.0, *)
    private static func examine(_ text: String, at server: TestServer) async throws -> ServerResponse {
        try await server.post(
            "/v1/inspector/examine", ["input": .string(Data(text.utf8).base64EncodedString())])
    }

    @available(AppReceiptServer 1.0, *)
    @Test(
        "The App Store is asked about an order and an unknown transaction",
        arguments: [("mq4b3l1kd9", "order"), ("350000245250525", "transaction")])
    func asked(text: String, match: String) async throws {
        try await Self.with { server, _ async throws in
            let found = try await Self.search(text, at: server)
            #expect(found.json["match"] == .string(match))
            #expect(found.json["products"]?[0]?["productIdentifier"]?.string == AppStoreFixture.product)
            #expect(try await server.get("/v1/purchases/350000245250525").status == 200)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The App Store isn't asked about text that looks like neither")
    func notAsked() async throws {
        try await Self.with { server, fixture async throws in
            for text in ["anna", "user123", "anna@example.com", "550e8400-e29b-41d4-a716-446655440000"] {
                #expect(try await Self.search(text, at: server).errorCode == "customer-unknown")
            }
            #expect(fixture.fake.requests.isEmpty)
            for text in ["M000000000", "350000000000000"] {
                #expect(try await Self.search(text, at: server).errorCode == "customer-unknown")
            }
            #expect(!fixture.fake.requests.isEmpty)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A pasted account, or the address of mail of one in a message, is found")
    func pastedAccounts() async throws {
        try await TestServer.with { server async throws in
            let accounts = [
                ("anna@example.com", "7"), ("user-42", "8"), ("bob@example.com", "9"), ("team/mary#3", "10"),
            ]
            for (account, transaction) in accounts {
                let token = try TestTransaction(
                    "com.example.pro", transaction: transaction, at: Date(timeIntervalSince1970: 1_700_000_000)
                ).signed()
                let path = try #require(account.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
                _ = try await server.post("/v1/accounts/\(path)/evidence", ["evidence": [.string(token)]])
            }
            // A name with any characters is an account if it is the whole text.
            let named = try await Self.examine("team/mary#3\n", at: server)
            #expect(named.json["customer"]?["accounts"] == ["team/mary#3"])
            #expect(try await Self.examine("I am team/mary#3", at: server).json["customer"] == nil)
            for text in ["user-42", " user-42\n"] {
                let found = try await Self.examine(text, at: server)
                #expect(found.json["customer"]?["accounts"] == ["user-42"], "\(text)")
            }
            let mail = "From: Anna Weber <anna@example.com>\nTo: support@example.org\n\nWhy is Pro locked?"
            let found = try await Self.examine(mail, at: server)
            #expect(found.json["match"] == "account")
            #expect(found.json["customer"]?["accounts"] == ["anna@example.com"])
            #expect(found.json["hasDamagedItem"] == false)
            let two = try await Self.examine(mail + " Bob (bob@example.com) has it too.", at: server)
            #expect(two.errorCode == "customer-ambiguous")
            #expect(two.json["error"]?["message"]?.string?.hasPrefix("The message contains 2 accounts.") == true)
            #expect(two.json["error"]?["candidates"] == ["anna@example.com", "bob@example.com"])
            #expect(try await Self.examine("From: <Anna@Example.com>\n\nWhy?", at: server).json["match"] == "account")
            // Beside a purchase that was found by its number.
            let token = try TestTransaction(
                "com.example.pro", transaction: "8", at: Date(timeIntervalSince1970: 1_700_000_000)
            ).signed()
            let others = try await Self.examine("From: anna@example.com\n\nHi \(token) bye", at: server)
            #expect(others.json["customer"]?["accounts"] == ["user-42"])
            let lead = try #require(others.json["leads"]?[0])
            #expect(lead["words"]?.string?.contains("the account anna@example.com") == true)
            #expect(lead["search"] == "anna@example.com")
            let strangers = try await Self.examine("Hi, a@example.com and b@example.com\n\nWhy?", at: server)
            #expect(
                strangers.json["error"]?["message"]?.string?.contains("account a@example.com or b@example.com.") == true
            )
            for text in ["user-4242", "From: nobody@example.com\n\nWhy?"] {
                let unknown = try await Self.examine(text, at: server)
                #expect(unknown.errorCode == "customer-unknown", "\(text)")
            }
            #expect(try await Self.examine("Why is Pro locked?", at: server).errorCode == nil)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A search for the hash of an account finds its purchases, and a name that looks like it in a mail doesn't")
    func hashOfAccount() async throws {
        let token = try TestTransaction("com.example.pro", transaction: "1").signed()
        try await TestServer.with {
            $0.hashesAccounts = true
        } _: { server async throws in
            _ = try await server.post("/v1/accounts/user-42/evidence", ["evidence": [.string(token)]])
            let hash = try await Self.search("1", at: server).json["customer"]?["accounts"]?[0]?.string ?? ""
            #expect(hash.hasPrefix("hmac-sha256:"))
            for page in [try await Self.search(hash, at: server), try await Self.examine(hash, at: server)] {
                #expect(page.json["products"]?.array?.count == 1)
                #expect(page.json["customer"]?["names"] == [:])
            }
            #expect(try await Self.search("hmac-sha256:0123", at: server).errorCode == "customer-unknown")
            let mail = try await Self.examine("My account is \(hash)", at: server)
            #expect(mail.json["products"]?.array?.isEmpty ?? true)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A mail from somebody who isn't the account of its receipt says so, if accounts are addresses")
    func foreignSender() async throws {
        let token = try TestTransaction("com.example.pro", transaction: "4300000000001").signed()
        for (account, isSaid) in [("anna@example.com", true), ("mallory@example.com", false), ("user-42", false)] {
            try await TestServer.with { server async throws in
                _ = try await server.post("/v1/accounts/\(account)/evidence", ["evidence": [.string(token)]])
                let page = try await Self.examine(
                    "From: Mallory <Mallory@example.com>\nTo: support@example.com\n\n\(token)", at: server)
                let words = page.json["leads"]?.array?.compactMap { $0["words"]?.string } ?? []
                #expect(words.contains { $0.hasPrefix("The message is from mallory@example.com") } == isSaid)
                // Anyone can write a number.
                let quoted = try await Self.examine(
                    "From: Mallory <Mallory@example.com>\n\nTransaction 4300000000001 is locked", at: server)
                let isOwn = account == "mallory@example.com"
                let leads = quoted.json["leads"]?.array?.compactMap { $0["words"]?.string } ?? []
                #expect(leads.contains { $0.hasPrefix("The message is from mallory@example.com") } != isOwn)
            }
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Unsigned data about an unknown transaction leads to the account that the mail names")
    func unknownClaims() async throws {
        let token = try TestTransaction("com.example.pro", transaction: "1").signed()
        let claim = #"{"transactionId": "990000000000002", "productId": "pro", "environment": "Production"}"#
        try await TestServer.with { server async throws in
            _ = try await server.post("/v1/accounts/bob@example.com/evidence", ["evidence": [.string(token)]])
            let page = try await Self.examine("From: bob@example.com\n\n\(claim)", at: server)
            #expect(page.json["match"] == "account")
            #expect(page.json["lookup"] == "unknown")
            #expect(page.json["claimed"]?["purchases"]?.array?.count == 1)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The name of an account in a sentence is found")
    func namedAccounts() async throws {
        let identifier = "3f2504e0-4f89-11d3-9a0c-0305e82c3301"
        try await TestServer.with { server async throws in
            for (index, account) in ["user-42", "marie", "42", "and", identifier, "o'neil@example.com"].enumerated() {
                let token = try TestTransaction(
                    "com.example.pro", transaction: "\(index + 1)", at: Date(timeIntervalSince1970: 1_700_000_000)
                ).signed()
                _ = try await server.post("/v1/accounts/\(account)/evidence", ["evidence": [.string(token)]])
            }
            for (text, account) in [
                ("Hi, my account is user-42, I paid, please help", "user-42"), ("My account: user-42", "user-42"),
                ("Mein Konto ist user-42, ich habe bezahlt", "user-42"), ("(user-42) locked out", "user-42"),
                ("account \u{201C}user-42\u{201D} is locked.", "user-42"), ("Hello, I am *user-42*.", "user-42"),
                ("username marie locked out", "marie"), ("My user id is 42.", "42"),
                ("The user name is 'marie'", "marie"), ("I see \(identifier) in the app", identifier),
                ("I see \(identifier.uppercased()).", identifier),
                ("I'm user-42's husband", "user-42"), ("o'neil@example.com's mail", "o'neil@example.com"),
                ("\(Array(repeating: "a-1 b-2", count: 30).joined(separator: " ")) user-42", "user-42"),
            ] {
                let found = try await Self.examine(text, at: server)
                #expect(found.json["match"] == "account", "\(text)")
                #expect(found.json["customer"]?["accounts"] == [.string(account)], "\(text)")
                // In another spelling, it isn't another account.
                #expect(found.json["leads"] == [], "\(text)")
            }
            // A word or a number alone isn't a name, and what nobody has isn't a search.
            for text in ["I paid and marie paid", "I have 42 problems", "My account was closed", "My iPhone-15 hangs"] {
                let none = try await Self.examine(text, at: server)
                #expect(none.json["verdict"] == "invalid", "\(text)")
                #expect(none.json["failure"]?["code"] == "input-unrecognized", "\(text)")
            }
            let unknown = try await Self.examine("My account is user-4242", at: server)
            #expect(unknown.errorCode == "customer-unknown")
            #expect(unknown.json["error"]?["message"]?.string?.contains("the account user-4242.") == true)
            // Names after the first ones aren't searched.
            let many = (0..<20).map { "x-\($0)" }.joined(separator: " ")
            #expect(try await Self.examine("\(many) user-42", at: server).json["verdict"] == "invalid")
            #expect(try await Self.examine("\(many) account user-42", at: server).json["match"] == "account")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A name that is stored as a hash finds its own account only")
    func hashedAccounts() async throws {
        try await TestServer.with {
            $0.hashesAccounts = true
        } _: { server async throws in
            let token = try TestTransaction("com.example.pro", transaction: "8").signed()
            _ = try await server.post("/v1/accounts/user-42/evidence", ["evidence": [.string(token)]])
            let found = try await Self.examine("My account is user-42.", at: server)
            #expect(found.json["match"] == "account")
            #expect(found.json["leads"] == [])
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The status of an error beside a name that is searched is part of the result")
    func statusBesides() async throws {
        try await TestServer.with { server async throws in
            let token = try TestTransaction(
                "com.example.pro", transaction: "1", at: Date(timeIntervalSince1970: 1_700_000_000)
            ).signed()
            _ = try await server.post("/v1/accounts/anna@example.com/evidence", ["evidence": [.string(token)]])
            for (sender, account) in [("anna@example.com", "anna@example.com"), ("zoe@example.com", nil)] {
                let found = try await Self.examine("From: \(sender)\n\nIt says {\"status\":21003}", at: server)
                let claimed = account == nil ? found.json["error"]?["claimed"] : found.json["claimed"]
                #expect(claimed?["status"] == 21003, "\(sender)")
                #expect(found.errorCode == (account == nil ? "customer-unknown" : nil))
            }
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Whoever a message is sent to isn't searched, and an unknown sender of nobody's purchase is named")
    func heads() async throws {
        try await TestServer.with { server async throws in
            let unknown = try await Self.examine(
                "From: Zoe <zoe@example.com>\nTo: help@example.org\n\nI paid.", at: server)
            #expect(
                unknown.json["error"]?["message"]?.string?.hasPrefix(
                    "Nothing is known under the account zoe@example.com. ") == true)
            let token = try TestTransaction(
                "com.example.pro", transaction: "7", at: Date(timeIntervalSince1970: 1_700_000_000)
            ).with { $0.environment = .production }.signed()
            let found = try await Self.examine("From: zoe@example.com\n\nHere: \(token) Thanks", at: server)
            let words = "which isn't a known account, and no account has submitted what is shown."
            #expect(found.json["leads"]?[0]?["words"]?.string?.hasSuffix(words) == true)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A forged token leads to the transaction that it names, and whose it is")
    func forgedToken() async throws {
        try await TestServer.with { server async throws in
            let transaction = "430000000000001"
            let date = Date(timeIntervalSince1970: 1_700_000_000)
            let token = try TestTransaction("com.example.pro", transaction: transaction, at: date)
                .with { $0.environment = .production }.signed()
            _ = try await server.post("/v1/accounts/anna@example.com/evidence", ["evidence": [.string(token)]])
            let forged = String(token.dropLast(4) + "AAAA")
            let found = try await Self.examine(forged, at: server)
            #expect(found.json["verdict"] == "invalid")
            let lead = try #require(found.json["leads"]?[0])
            #expect(lead["search"] == .string(transaction))
            #expect(
                lead["words"]?.string?.contains("\(transaction), which is known and of the account anna@example.com")
                    == true)
            #expect(found.json["products"] == [])
            // The sender, who owns it, isn't named twice.
            let mail = try await Self.examine("From: anna@example.com\n\nHere: \(forged) Thanks", at: server)
            #expect(mail.json["leads"]?.array?.map { $0["search"] } == ["anna@example.com"])
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Several unsigned transactions are looked up together, and those of several customers are kept apart")
    func unsignedTransactions() async throws {
        func transaction(_ identifier: String, renewal: String? = nil) -> String {
            """
            {"transactionId": "\(renewal ?? identifier)", "originalTransactionId": "\(identifier)",
            "bundleId": "com.example.app", "productId": "com.example.pro", "environment": "Production"}
            """
        }
        try await TestServer.with { server async throws in
            let (own, second, others) = ("430000000000001", "430000000000002", "430000000000003")
            for (account, identifier) in [("anna", own), ("anna", second), ("bob", others)] {
                let token = try TestTransaction(
                    "com.example.pro.\(identifier)", transaction: identifier,
                    at: Date(timeIntervalSince1970: 1_700_000_000)
                ).signed()
                _ = try await server.post("/v1/accounts/\(account)/evidence", ["evidence": [.string(token)]])
            }
            let array = "[\(transaction(own, renewal: "430000000000009")), \(transaction(second))]"
            for text in [
                array, "{\"transactions\": \(array)}", "Hi,\n\(array)\nThanks",
            ] {
                let found = try await Self.examine(text, at: server)
                #expect(found.json["match"] == "claims", "\(text)")
                #expect(found.json["customer"]?["accounts"] == ["anna"], "\(text)")
                #expect(found.json["products"]?.array?.count == 2, "\(text)")
                #expect(found.json["claimed"]?["purchases"]?.array?.count == 2, "\(text)")
            }
            let mixed = try await Self.examine("[\(transaction(own)), \(transaction(others))]", at: server)
            #expect(mixed.errorCode == "customer-ambiguous")
            #expect(mixed.json["error"]?["candidates"] == [.string(own), .string(others)])
            let unknown = try await Self.examine(
                "[\(transaction("430000000000007")), \(transaction("430000000000008"))]", at: server)
            #expect(unknown.json["lookup"] == "unknown")
            #expect(unknown.json["claimed"]?["purchases"]?.array?.count == 2)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A number in the name of an account, or claimed beside another, doesn't lead to a stranger")
    func strangers() async throws {
        try await TestServer.with { server async throws in
            for (account, transaction) in [("x-410000000000001", "410000000000002"), ("bob", "410000000000001")] {
                let token = try TestTransaction(
                    "com.example.pro", transaction: transaction, at: Date(timeIntervalSince1970: 1_700_000_000)
                ).signed()
                _ = try await server.post("/v1/accounts/\(account)/evidence", ["evidence": [.string(token)]])
            }
            let named = try await Self.examine("x-410000000000001", at: server)
            #expect(named.json["customer"]?["accounts"] == ["x-410000000000001"])
            let claims = """
                {"status": 0, "receipt": {"bundle_id": "com.example.app", "in_app": [
                    {"transaction_id": "410000000000001"}, {"transaction_id": "410000000000002"}]}}
                """
            #expect(try await Self.examine(claims, at: server).errorCode == "customer-ambiguous")
            let mail =
                String(repeating: "To: support@example.org\n", count: 30)
                + "From: (bob'@example.com), <bob@example.com>!"
            #expect(try await Self.examine(mail, at: server).errorCode == "customer-unknown")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Claimed purchases without an account are apart, unless a receipt contains them")
    func unboundStrangers() async throws {
        try await TestServer.with { server async throws in
            let transactions = ["420000000000001", "420000000000002"]
            for transaction in transactions {
                let token = try TestTransaction("com.example.pro", transaction: transaction).signed()
                _ = try await server.post("/v1/signed-data/verify", Array(token.utf8))
            }
            let claims = """
                {"status": 0, "receipt": {"bundle_id": "com.example.app", "in_app": [
                    {"transaction_id": "420000000000001"}, {"transaction_id": "420000000000002"}]}}
                """
            let strangers = try await Self.examine(claims, at: server)
            #expect(strangers.json["products"]?.array?.count == 2)
            #expect(strangers.json["customer"]?["purchases"]?.array?.count == 2)
            let receipt = try TestReceipt(
                purchases: transactions.map { TestPurchase("com.example.pro", transaction: $0) }
            ).signed()
            _ = try await server.post("/v1/receipts/validate", Array(receipt.base64.utf8))
            let customer = try await Self.examine(claims, at: server)
            #expect(customer.json["products"]?.array?.count == 1)
            #expect(customer.json["customer"]?["purchases"]?.array?.count == 2)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A damaged receipt beside the number or name that was found is reported")
    func damaged() async throws {
        try await Self.with { server, _ async throws in
            let line = "MIIT" + String(repeating: "abcd1234", count: 8)
            let mail = "Hi, my order is MQ4B3L1KD9.\n> \(line)\n> \(line)\nThanks"
            let found = try await Self.examine(mail, at: server)
            #expect(found.json["match"] == "order")
            #expect(found.json["hasDamagedItem"] == true)
            let unknown = try await Self.examine("Order MK4TTTVWJH\n> \(line)\n> \(line)\n", at: server)
            #expect(unknown.errorCode == "customer-unknown")
            #expect(unknown.json["error"]?["hasDamagedItem"] == true)
            let several = try await Self.examine("MK4TTTVWJH or MK4TTTVWJI\n> \(line)\n> \(line)\n", at: server)
            #expect(several.json["error"]?["hasDamagedItem"] == true)
            #expect(several.json["error"]?["candidates"] == ["MK4TTTVWJH", "MK4TTTVWJI"])
            // The receipt first, or words without spaces.
            for text in [
                "\(line)\n\(line)\nMy order is MQ4B3L1KD9.",
                String(repeating: "こんにちは。", count: 8) + "\nMQ4B3L1KD9\n",
            ] {
                #expect(try await Self.examine(text, at: server).json["match"] == "order", "\(text)")
            }
            for part in [line, "MIIT1", "MIITabcd1234"] {
                let alone = try await Self.examine(part, at: server)
                #expect(alone.json["verdict"] == "invalid", "\(part)")
            }
            let plain = try await Self.examine("Hi, my order is MQ4B3L1KD9.", at: server)
            #expect(plain.json["hasDamagedItem"] == false)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test(
        "A damaged receipt in a message of a known account leads to the account, and is never proof",
        arguments: [0, 1, 2, 3])
    func damagedOfKnownAccount(damage: Int) async throws {
        try await TestServer.with { server async throws in
            let receipt = try TestReceipt(purchases: [TestPurchase("pro", transaction: "430000000000001")]).signed()
            let text = Data(receipt).base64EncodedString(options: .lineLength64Characters)
            _ = try await server.post("/v1/accounts/anna@example.com/evidence", ["evidence": [.string(text)]])
            let lines = text.split(separator: "\r\n").map { "> \($0)" }
            let damaged =
                switch damage {
                case 0: Array(lines.dropLast(2))
                case 1: Array(lines.prefix(4)) + ["[...]"] + Array(lines.suffix(4))
                case 2: [String(lines[0].prefix(40))] + Array(lines.dropFirst())
                default: Array(lines.dropFirst(3))
                }
            let found = try await Self.examine(
                "From: anna@example.com\n\nIt is locked.\n\(damaged.joined(separator: "\n"))\n", at: server)
            #expect(found.json["match"] == "account", "\(found.json)")
            #expect(found.json["hasDamagedItem"] == true)
            #expect(found.json["products"]?[0]?["decidedBy"]?["isInput"] == false)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Numbers in the head of a mail, in addresses and of telephones lead nowhere; an unknown sender is named")
    func strangersMail() async throws {
        try await TestServer.with { server async throws in
            let head = """
                Received: from mail.example.com by mx.example.com
                    with ESMTPS id 20261128091244 for <support@example.org>
                X-Received: by 2002:a05:6402:5b1f17b1804b1-43ee
                Message-ID: <20261128091244.4711@mail.example.com>
                From: Zoe <zoe@example.com>
                Subject: locked
                """
            for body in [
                "It is locked.", "See https://example.com/t/4400123456789012 please", "Call me: +49 1511 234567",
                "Transaction 430000000000777 is locked.",
            ] {
                let answer = try await Self.examine("\(head)\n\n\(body)", at: server)
                let message = answer.json["error"]?["message"]?.string ?? ""
                #expect(message.contains("zoe@example.com"), "\(body): \(answer.json)")
                #expect(message.contains("430000000000777") == body.contains("430000000000777"), "\(message)")
                for other in ["20261128091244", "4400123456789012", "1804b1", "234567"] {
                    #expect(!message.contains(other), "\(message)")
                }
            }
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A first line with a name and an identifier isn't one of a mail's head")
    func namedIdentifier() {
        for (text, identifier) in [
            ("Order-ID: MK4TTTVWJH", AppStoreIdentifier.order("MK4TTTVWJH")),
            ("Transaction-Id: 430000000000777\n\nis locked", .transaction("430000000000777")),
        ] { #expect(PastedText(Array(text.utf8)).identifiers == [identifier], "\(text)") }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The sender of somebody else's receipt is distinguished from its customer")
    func otherSender() async throws {
        try await TestServer.with { server async throws in
            var tokens: [String: String] = [:]
            for (number, account) in ["anna@example.com", "ben@example.com"].enumerated() {
                tokens[account] = try TestTransaction(
                    "com.example.pro", transaction: "43000000000010\(number)",
                    at: Date(timeIntervalSince1970: 1_700_000_000)
                ).signed()
                _ = try await server.post(
                    "/v1/accounts/\(account)/evidence", ["evidence": [.string(tokens[account] ?? "")]])
            }
            let bens = try #require(tokens["ben@example.com"])
            for (sender, isOther) in [
                ("anna@example.com", true), ("zoe@example.com", true), ("ben@example.com", false),
            ] {
                let answer = try await Self.examine("From: \(sender)\n\nLocked!\n\n\(bens)\n", at: server)
                #expect(answer.json["customer"]?["accounts"] == ["ben@example.com"], "\(sender)")
                let flags = answer.json["leads"]?.array?.map { $0["isAboutOtherSender"]?.boolean } ?? []
                #expect(flags.contains(true) == isOther, "\(sender): \(answer.json["leads"] ?? .null)")
            }
            // Two mails, each with its own receipt: each writer is an owner.
            let annas = try #require(tokens["anna@example.com"])
            let filler = String(repeating: "Please help.\n", count: 40)
            let both = try await Self.examine(
                "From: ben@example.com\n\n\(filler)\(bens)\n\nFrom: anna@example.com\n\n\(annas)\n", at: server)
            #expect(both.json["sendersPurchases"]?.array?.count == 2)
            let own = try await Self.examine("From: anna@example.com\n\n\(annas)\n\n\(bens)\n", at: server)
            #expect(own.json["sendersPurchases"] == ["430000000000100"])
            let forwarded = try await Self.examine(
                "From: colleague@example.org\n\nFrom: ben@example.com\n\n\(bens)\n", at: server)
            #expect(forwarded.json["leads"]?.array?.contains { $0["isAboutOtherSender"] == true } == false)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A number of a transaction that isn't known is said beside the account that was found")
    func unknownNumber() async throws {
        try await TestServer.with { server async throws in
            let token = try TestTransaction(
                "com.example.pro", transaction: "430000000000001", at: Date(timeIntervalSince1970: 1_700_000_000)
            ).signed()
            _ = try await server.post("/v1/accounts/user-42/evidence", ["evidence": [.string(token)]])
            // A date, a telephone number and what claims contain aren't transactions of the customer.
            let plain = try await Self.examine("user-42 on 1774432800000, call 00491511234567890", at: server)
            #expect(plain.json["leads"] == [])
            let unlabeled = try await Self.examine("user-42 sees 430000000000999", at: server)
            #expect(unlabeled.json["leads"]?[0]?["code"] == .null)
            // Nor is what is labeled as something else.
            let ticket = try await Self.examine("user-42 in case 430000000000999", at: server)
            #expect(ticket.json["leads"] == [])
            let stranger = try await Self.examine("From: zoe@example.com\n\nTicket 4400123456789012", at: server)
            let message = stranger.json["error"]?["message"]?.string ?? ""
            #expect(message.contains("zoe@example.com"), "\(message)")
            #expect(!message.contains("4400123456789012"), "\(message)")
            let found = try await Self.examine("user-42 says transaction 430000000000999 was refunded", at: server)
            #expect(found.json["match"] == "account")
            #expect(found.json["leads"]?[0]?["code"] == "customer-unknown")
            #expect(
                found.json["leads"]?[0]?["words"]?.string?.contains("430000000000999, which isn't a known transaction")
                    == true)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A damaged receipt alone has no order numbers that the App Store is asked about")
    func damagedAlone() async throws {
        try await Self.with { server, fixture async throws in
            // Lines from the middle of a receipt, without its beginning.
            let line = "Af8wHQYDVR0OBBYEFLuw3qFYM4iapIqZ3r6966/ayySrMA4GA1UdDwEB/wQEAwIBBjAQBgoqhkiG"
            let damaged = try await Self.examine("Here is my receipt:\n> \(line)\n> 9w0BAQUFAAOCAQEA\n", at: server)
            #expect(damaged.json["verdict"] == "invalid")
            #expect(damaged.json["leads"] == [])
            #expect(fixture.fake.requests.isEmpty)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("An order number beside what was found can be searched, if the App Store can be asked about it")
    func otherOrder() async throws {
        let token = try TestTransaction(
            "com.example.pro", transaction: "7", at: Date(timeIntervalSince1970: 1_700_000_000)
        ).with { $0.environment = .production }.signed()
        let mail = "Hi, here is \(token) of my order MQ4B3L1KD9."
        try await Self.with { server, _ async throws in
            let found = try await Self.examine(mail, at: server)
            #expect(found.json["verdict"] == "valid")
            #expect(found.json["leads"]?.array?.map { $0["search"] } == ["MQ4B3L1KD9"])
        }
        try await TestServer.with { server async throws in
            let found = try await Self.examine(mail, at: server)
            #expect(found.json["leads"]?.array?.map { $0["search"] } == [.null])
            #expect(
                found.json["leads"]?[0]?["words"]?.string?.contains("MQ4B3L1KD9, which this server can't look up")
                    == true)
            #expect(found.json["leads"]?[0]?["code"] == "app-store-unconfigured")
            // There is nothing to choose from.
            let several = try await Self.examine("MQ4B3L1KD9 or MK4TTTVWJH", at: server)
            #expect(several.errorCode == "app-store-unconfigured")
            let message = several.json["error"]?["message"]?.string
            #expect(message?.hasPrefix("This server can't look up the order MQ4B3L1KD9 or MK4TTTVWJH: ") == true)
            #expect(several.json["error"]?["candidates"] == nil)
            let mixed = try await Self.examine("order MQ4B3L1KD9 and transaction 990000000000009", at: server)
            #expect(
                mixed.json["error"]?["message"]?.string?.hasPrefix(
                    "The order MQ4B3L1KD9 or transaction 990000000000009 isn't known here.") == true)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("An order number that isn't known is named as one")
    func unknownOrder() async throws {
        try await TestServer.with { server async throws in
            let found = try await Self.search("mq4b3l1kd9", at: server)
            #expect(found.errorCode == "app-store-unconfigured")
            let message = found.json["error"]?["message"]?.string
            #expect(message?.hasPrefix("This server can't look up the order MQ4B3L1KD9: it has no key") == true)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A search waits for the App Store no longer than other responses, and says so")
    func patience() async throws {
        try await Self.with(isImpatient: true, repeats: true) { server, fixture async throws in
            // The client would repeat the requests for an hour.
            fixture.replaceResponses { _ in AppStoreServerHTTPResponse(status: 500) }
            for text in ["MQ4B3L1KD9", "350000245250525"] {
                let failed = try await Self.search(text, at: server)
                #expect(failed.status == 502)
                #expect(failed.errorCode == "app-store-failed")
                #expect(failed.json["error"]?["message"]?.string?.contains("in time") == true)
            }
            #expect(try await Self.examine("my order MQ4B3L1KD9", at: server).errorCode == "app-store-failed")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("An order number in a part of a mail in base64 is found, also beside the status of an error")
    func encodedMail() async throws {
        try await Self.with { server, _ async throws in
            let part = Data("Guten Tag,\nmeine Bestellung MQ4B3L1KD9 fehlt. {\"status\":21003}".utf8)
                .base64EncodedString()
            let mail = "Subject: Hilfe\nContent-Transfer-Encoding: base64\n\n\(part)\n"
            #expect(try await Self.examine(mail, at: server).json["input"]?["name"] == "MQ4B3L1KD9")
            let text = "Order MQ4B3L1KD9 has {\"status\":21003}"
            #expect(try await Self.examine(text, at: server).json["input"]?["name"] == "MQ4B3L1KD9")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The transactions that a response claims are looked up, and the claims stay marked as unverified")
    func claims() async throws {
        func response(_ transaction: String) -> String {
            """
            {"status": 0, "receipt": {"bundle_id": "com.example.app", "in_app": [{"product_id": "forged",
            "transaction_id": "\(transaction)", "purchase_date_ms": "1697673600000"}]}}
            """
        }
        try await Self.with { server, fixture async throws in
            for _ in ["at the App Store", "here"] {
                let found = try await Self.examine(response("350000245250525"), at: server)
                #expect(found.json["kind"] == "customer")
                #expect(found.json["match"] == "claims")
                #expect(found.json["claimed"]?["verified"] == false)
                let products = found.json["products"]?.array?.map { $0["productIdentifier"]?.string }
                #expect(products == [AppStoreFixture.product])
            }
            for (transaction, lookup) in [("350000000000000", "unknown"), ("0", "unknown")] {
                let unknown = try await Self.examine(response(transaction), at: server)
                #expect(unknown.json["failure"]?["code"] == "response-without-receipt")
                #expect(unknown.json["products"] == [])
                #expect(unknown.json["customer"] == nil)
                #expect(unknown.json["lookup"] == .string(lookup))
            }
            fixture.replaceResponses { _ in AppStoreServerHTTPResponse(status: 401) }
            let failed = try await Self.examine(response("350000000000001"), at: server)
            #expect(failed.json["claimed"]?["verified"] == false)
            #expect(failed.json["lookup"] == "failed")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("An order number or transaction in a mail without documents is found, unless there are several")
    func mail() async throws {
        try await Self.with { server, _ async throws in
            for text in [
                "Hi,\nmy order MQ4B3L1KD9 of 2024 is missing.", "My order MQ4B3L1KD9.", "<td>Order: MQ4B3L1KD9</td>",
            ] {
                let order = try await Self.examine(text, at: server)
                #expect(order.json["kind"] == "customer", "\(text)")
                #expect(order.json["match"] == "order")
                #expect(order.json["input"]?["name"] == "MQ4B3L1KD9")
            }
            let stored = try await Self.examine("Transaction: 350000245250525, thanks", at: server)
            #expect(stored.json["match"] == "transaction")
            for text in ["MQ4B3L1KD9", "Order:MQ4B3L1KD9", "#MQ4B3L1KD9"] {
                #expect(try await Self.examine(text, at: server).json["match"] == "order", "\(text)")
                #expect(try await Self.search(text, at: server).json["match"] == "order", "\(text)")
            }
            for (text, code, words) in [
                ("MQ4B3L1KD8 or MQ4B3L1KD7", "customer-ambiguous", "2 order numbers"),
                ("my order M000000000", "customer-unknown", "knows no order M000000000"),
            ] {
                let unknown = try await Self.examine(text, at: server)
                #expect(unknown.errorCode == code)
                #expect(unknown.json["error"]?["message"]?.string?.contains(words) == true)
            }
            let none = try await Self.examine("It does not work", at: server)
            #expect(none.json["verdict"] == "invalid")
            #expect(none.json["customer"] == nil)
        }
    }
}
#endif
