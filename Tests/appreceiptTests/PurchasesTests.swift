import AppReceiptKit
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import TestSupport
import Testing

@Suite("appreceipt purchases")
struct PurchasesTests {
    private let folder: TemporaryFolder
    private let roots: [String]

    init() throws {
        folder = try TemporaryFolder()
        roots = [
            "--root", try folder.write("receipts.pem", Array(TestPKI.standard.root.pem().utf8)),
            "--root", try folder.write("signed-data.pem", Array(TestPKI.signedData.root.pem().utf8)),
        ]
    }

    private static let pro = TestTransaction("com.example.pro", transaction: "1")

    private func run(_ arguments: String..., input: String = "") throws -> CommandLineTool {
        try CommandLineTool.run(["purchases"] + arguments + roots, input: Data(input.utf8))
    }

    private func products(_ tool: CommandLineTool) throws -> [[String: Any]] {
        try #require(try tool.json()["products"] as? [[String: Any]])
    }

    private func rejected(_ tool: CommandLineTool) throws -> [[String: String]] {
        try #require(try tool.json()["rejected"] as? [[String: String]])
    }

    @Test("The first lines name each product with its state and dates")
    func text() throws {
        let receipt = try folder.write(
            "receipt",
            TestReceipt().with {
                $0.purchases = [
                    TestPurchase("com.example.pro", transaction: "1", at: $0.creationDate),
                    TestPurchase(
                        subscription: "com.example.plus", transaction: "2", from: $0.creationDate,
                        to: $0.creationDate + 30 * 86_400),
                ]
            }.signed())
        let result = try run(receipt, "--at", "2024-07-15T00:00:00Z")
        let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[0].hasPrefix("com.example.plus  active  since 2024-07-02 15:04, until 2024-08-01 15:04"))
        #expect(lines[1].hasPrefix("com.example.pro   owned   since 2024-07-02 15:04"))
        #expect(lines[2].isEmpty)
        #expect(lines[3] == "Why")
        #expect(result.status == 0)
    }

    @Test("Products are compared byte by byte: one that only looks the same isn't the requested one")
    func exactProducts() throws {
        let (composed, decomposed) = ("com.example.caf\u{E9}", "com.example.cafe\u{301}")
        let token = try TestTransaction(composed, transaction: "1").with { $0.environment = .production }.signed()
        let same = try run(token, "--product", composed)
        #expect(same.status == 0)
        #expect(!same.output.contains("no evidence"))
        #expect(same.errors.contains("is active in production."))
        let other = try run(token, "--product", decomposed)
        #expect(other.status == 1)
        #expect(other.output.contains("no evidence"))
        #expect(other.errors.contains("isn't active in production."))
        #expect(try run(token, "--product", decomposed, "--product", composed).status == 0)
    }

    @Test("The details name the commitment and the items of Advanced Commerce")
    func details() throws {
        let token = try TestTransaction(
            "com.example.plus", transaction: "7", at: instant("2024-07-01T00:00:00Z"),
            until: instant("2024-08-01T00:00:00Z")
        ).with {
            $0.overrides = [
                "commitmentInfo": [
                    "billingPeriodNumber": 3, "totalBillingPeriods": 12, "commitmentExpiresDate": 1_746_057_600_000,
                ],
                "advancedCommerceInfo": [
                    "items": [["SKU": "a"], ["SKU": "b", "revocationDate": 1_719_792_000_000]]
                ],
            ]
        }.signed()
        for command in ["purchases", "validate", "signed-data"] {
            let output = try CommandLineTool.run([command, token] + roots).output
            #expect(
                output.contains("\n    Commitment: period 3, 12 periods in all, until 2025-05-01 00:00\n"), "\(output)")
            #expect(output.contains("\n    Items: a, b (revoked)\n"), "\(output)")
        }
    }

    @Test("A transaction receipt counts together with tokens, and never clears a refund or proves an expiration")
    func transactionReceipts() throws {
        let pki = TestPKI.transactionReceipts
        let options = [
            "--root", try folder.write("transaction-receipts.pem", Array(try pki.root.pem().utf8)),
            "--transaction-intermediate", try folder.write("intermediate.pem", Array(try pki.intermediate.pem().utf8)),
            "--format", "json",
        ]
        let start = instant("2015-11-18T04:34:41Z")
        func list(_ product: String, _ transaction: String, until end: Date? = nil) throws -> String {
            try folder.write(
                transaction,
                TestTransactionReceipt(product, transaction: transaction, at: start, expirationDate: end).signed())
        }
        let refunded = try TestTransaction("com.example.pro", transaction: "1", at: start).with {
            $0.revocationDate = start
        }.signed()
        let result = try CommandLineTool.run(
            [
                "purchases", try list("com.example.pro", "1"), try list("com.example.plus", "2", until: start - 1),
                refunded,
            ]
                + options + roots)
        let states = try products(result).map { "\($0["productIdentifier"] ?? "") \($0["state"] ?? "")" }
        #expect(states == ["com.example.plus renewalUnknown", "com.example.pro refunded"])
        #expect(result.status == 0)
        let other = try CommandLineTool.run(
            ["purchases", try list("com.example.pro", "3"), "--bundle-id", "com.example.other"] + options + roots)
        #expect(try rejected(other).map { $0["code"] } == ["bundle-identifier-mismatch"])
    }

    @Test("Standard input contains several documents of one customer: lines, tokens and a mail")
    func standardInput() throws {
        let receipt = try TestReceipt().with {
            $0.purchases = [TestPurchase("com.example.pro", transaction: "1", at: $0.creationDate)]
        }.signed()
        let base64 = Data(receipt).base64EncodedString()
        let wrapped = Data(receipt).base64EncodedString(options: .lineLength76Characters)
        let quoted = wrapped.split(whereSeparator: \.isNewline).map { "> \($0)" }.joined(separator: "\n")
        let refund = try Self.pro.with { $0.revocationDate = $0.purchaseDate + 60 }.signed()
        let plus = try TestTransaction("com.example.plus", transaction: "2").signed()
        for text in [
            "\(base64)\n\(refund)\n\(plus)\n", "\(wrapped)\n\(plus)\n\(refund)",
            "Hi,\n\nhere is my receipt:\n\n\(base64)\n\nand this:\n\(refund)\n\(plus)\n\nThanks\n\n\(quoted)\n",
        ] {
            let result = try run("-", "--format", "json", input: text)
            let states = try products(result).map { "\($0["productIdentifier"] ?? "") \($0["state"] ?? "")" }
            #expect(states == ["com.example.plus owned", "com.example.pro refunded"])
            #expect(try rejected(result).isEmpty)
            #expect(result.status == 0)
        }
        let damaged = try run("-", "--format", "json", input: "\(base64.prefix(1000))\n\n\(plus)\nThanks")
        #expect(try rejected(damaged).map { $0["input"] } == ["- (1 of 2)"])
        #expect(try products(damaged).count == 1)
        #expect(damaged.status == 1)
        #expect(damaged.errors.contains("1 line of other text"))
    }

    @Test("A response of verifyReceipt without a receipt is rejected, and inspect shows what it claims")
    func responseWithoutReceipt() throws {
        let response = """
            {"status": 0, "environment": "Production", "receipt": {"bundle_id": "com.example.app", "in_app": [
            {"product_id": "com.example.pro", "transaction_id": "1", "purchase_date_ms": "1719792000000"}]}}
            """
        let result = try run("-", "--format", "json", input: response)
        #expect(try rejected(result).map { $0["code"] } == ["response-without-receipt"])
        #expect(try products(result).isEmpty)
        let validated = try CommandLineTool.run(["validate", "-"], input: Data(response.utf8))
        #expect(validated.status == 1)
        #expect(validated.output.contains("'latest_receipt' of the complete response"))
        let inspected = try CommandLineTool.run(["inspect", "-"], input: Data(response.utf8))
        #expect(inspected.status == 1)
        #expect(inspected.output.hasPrefix("NOT VERIFIED"))
        #expect(inspected.output.contains("com.example.pro  1            2024-07-01 00:00"))
        #expect(inspected.errors.contains("response-without-receipt"))
    }

    @Test("JSON has exactly the members of the contract")
    func json() throws {
        let result = try run(try Self.pro.signed(), "--at", "2024-07-15T00:00:00Z", "--format", "json")
        let document = try result.json()
        #expect(document.keys.sorted() == ["at", "products", "rejected"])
        #expect(document["at"] as? String == "2024-07-15T00:00:00Z")
        let product = try #require(try products(result).first)
        #expect(
            product.keys.sorted() == [
                "asOf", "commitment", "environment", "isActive", "items", "kind", "nextStep",
                "originalTransactionIdentifier", "ownership", "productIdentifier", "quantity", "reason",
                "refundedPercentage", "renewsAs", "since", "state", "transactionIdentifier", "until", "willRenew",
            ])
        #expect(product["isActive"] as? Bool == true)
        #expect(product["until"] is NSNull)
        #expect(product["willRenew"] is NSNull)
        #expect(product["asOf"] as? String == "2024-07-02T15:04:05Z")
    }

    @Test("The exit status shows whether a product is active in production or a given environment")
    func exitStatus() throws {
        let sandbox = try Self.pro.signed()
        let production = try Self.pro.with { $0.environment = .production }.signed()
        func status(_ arguments: String...) throws -> Int32 {
            try CommandLineTool.run(["purchases"] + arguments + roots).status
        }
        #expect(try status(production, "--product", "com.example.pro") == 0)
        #expect(try status(production, "--product", "com.example.other") == 1)
        #expect(try status(production, "--product", "com.example.other", "--product", "com.example.pro") == 0)
        #expect(try status(sandbox, "--product", "com.example.pro") == 1)
        #expect(try status(sandbox, "--product", "com.example.pro", "--environment", "sandbox") == 0)
        #expect(try status(production, "--product", "com.example.pro", "--environment", "sandbox") == 1)
        #expect(try status(production, "--product", "com.example.pro", "--at", "2024-06-01T00:00:00Z") == 1)
        #expect(try status(sandbox) == 0)
        #expect(try status(sandbox, try folder.write("no-receipt", Array("hello".utf8))) == 1)
        #expect(try status(folder.url("missing").path) == 66)
        #expect(try status() == 64)
        #expect(try status("-", "-") == 64)
    }

    @Test("Input that can't be verified is listed as rejected and has no effect")
    func rejections() throws {
        let forged = try Self.pro.with { $0.revocationDate = $0.signedDate }.signed(by: .standard)
        let result = try run(try Self.pro.signed(), forged, "--format", "json")
        #expect(try products(result).map { $0["state"] as? String } == ["owned"])
        let rejection = try #require(try rejected(result).first)
        #expect(rejection.keys.sorted() == ["code", "documentation", "input", "message", "remedy"])
        let code = try #require(rejection["code"])
        #expect(rejection["documentation"] == "docs/errors.md#\(code)")
        let remedy = try #require(rejection["remedy"])
        #expect(!remedy.isEmpty)
        #expect(rejection["message"]?.contains(remedy) == false)
        let text = try run(try Self.pro.signed(), forged, forged)
        #expect(text.output.components(separatedBy: ": \(code): ").count == 3)
        #expect(text.output.hasSuffix("\n  See docs/errors.md#\(code)\n"))
        #expect(text.output.components(separatedBy: "See docs/errors.md").count == 2, "each remedy once")
        #expect(try rejected(result).count == 1)
        #expect(result.status == 1)
    }

    @Test("All inputs must be for one app: the given one, or that of the first verified input")
    func oneApp() throws {
        let other = try TestTransaction("com.example.pro", transaction: "2").with {
            $0.bundleIdentifier = "com.example.other"
        }.signed()
        let own = try Self.pro.signed()
        let first = try run(own, other, "--format", "json")
        #expect(try rejected(first).map { $0["code"] } == ["bundle-identifier-mismatch"])
        #expect(try products(first).count == 1)
        let named = try run(own, other, "--bundle-id", "com.example.other", "--format", "json")
        #expect(try rejected(named).map { $0["code"] } == ["bundle-identifier-mismatch"])
        #expect(try products(named).first?["transactionIdentifier"] as? String == "2")
    }

    @Test("An input without an environment is rejected, because an entitlement has one")
    func environments() throws {
        let unnamed = try Self.pro.with { $0.overrides = ["environment": .null] }.signed()
        #expect(try rejected(try run(unnamed, "--format", "json")).map { $0["code"] } == ["environment-missing"])
        let wrong = try run(try Self.pro.signed(), "--environment", "production", "--format", "json")
        #expect(try rejected(wrong).map { $0["code"] } == ["environment-mismatch"])
    }

    @Test("Receipts and tokens are found in requests, responses and other documents")
    func forms() throws {
        let receipt = try TestReceipt().with {
            $0.purchases = [TestPurchase("com.example.pro", transaction: "1", at: $0.creationDate)]
        }.signed()
        let token = try Self.pro.signed()
        let base64 = Data(receipt).base64EncodedString()
        let urlSafe = base64.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
        let wrapped = Data(receipt).base64EncodedString(options: [.lineLength64Characters, .endLineWithCarriageReturn])
        let escaped = base64.replacingOccurrences(of: "/", with: "\\/")
        let notification = try TestNotification(type: .oneTimeCharge).with { $0.signedTransactionInfo = token }.signed()
        let texts = [
            base64, urlSafe, wrapped, escaped, "\"\(base64)\"", "\u{FEFF}\(base64)", "{\"receipt-data\":\"\(base64)\"}",
            "{\"status\":0,\"latest_receipt\":\"\(escaped)\",\"receipt\":{\"bundle_id\":\"com.example.app\"}}",
            "-----BEGIN PKCS7-----\n\(wrapped)\n-----END PKCS7-----\n", token, "  \(token)\n", "\"\(token)\"",
            "Bearer \(token)", "{\"signedPayload\":\"\(notification)\"}", notification,
            "{\"bundleId\":\"com.example.app\",\"signedTransactions\":[\"\(token)\"]}",
            "{\"data\":[{\"lastTransactions\":[{\"status\":1,\"signedTransactionInfo\":\"\(token)\"}]}]}",
            String(token.prefix(100)) + "\n" + token.dropFirst(100),
        ]
        for text in texts {
            for bytes in [Data(text.utf8), try #require(text.data(using: .utf16))] {
                let result = try CommandLineTool.run(["purchases", "-", "--format", "json"] + roots, input: bytes)
                #expect(try products(result).map { $0["state"] as? String } == ["owned"], "\(text.prefix(60))")
                #expect(try rejected(result).isEmpty)
            }
        }
        let argument = try run(urlSafe)
        #expect(argument.status == 0)
        #expect(argument.errors.contains("URL-safe base64"))
        let binary = try CommandLineTool.run(["purchases", "-"] + roots, input: Data(receipt))
        #expect(binary.status == 0)
        #expect(binary.errors.isEmpty)
    }

    @Test("A refund in the App Store Server API's notification history or in a version 1 notification counts")
    func histories() throws {
        let receipt = TestReceipt().with {
            $0.purchases = [TestPurchase("com.example.pro", transaction: "1", at: $0.creationDate)]
        }
        let base64 = Data(try receipt.signed()).base64EncodedString()
        let refund = try TestNotification(type: .refund).with {
            $0.signedTransactionInfo = try Self.pro.with { $0.revocationDate = $0.signedDate }.signed()
        }.signed()
        let newer = try receipt.with {
            $0.creationDate += 60
            $0.purchases[0].cancellationDate = $0.creationDate
        }.signed()
        for answer in [
            "{\"notificationHistory\":[{\"signedPayload\":\"\(refund)\",\"sendAttempts\":[]}],\"hasMore\":false}",
            "{\"unified_receipt\":{\"latest_receipt\":\"\(Data(newer).base64EncodedString())\"}}",
        ] {
            let result = try run(base64, answer, "--format", "json")
            #expect(try products(result).map { $0["state"] as? String } == ["refunded"])
            #expect(try rejected(result).isEmpty)
        }
    }

    @Test("The value apple of --root adds Apple's roots to others")
    func appleRoots() throws {
        let token = try Self.pro.signed()
        let both = try CommandLineTool.run(["purchases", token, "--root", "apple"] + roots)
        #expect(both.status == 0)
        let apple = try CommandLineTool.run(["purchases", token, "--root", "apple", "--format", "json"])
        #expect(try rejected(apple).map { $0["code"] } == ["root-not-trusted"])
    }

    @Test("A requested product that was never bought has a line of its own")
    func missing() throws {
        let result = try run(try Self.pro.signed(), "--product", "com.example.max")
        #expect(result.output.contains("com.example.max  no evidence"))
        #expect(try run(folder.url("none").path).status == 66)
    }
}
