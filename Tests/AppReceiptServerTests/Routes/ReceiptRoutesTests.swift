#if Server
import AppReceiptKit
import AppReceiptServer
import AppReceiptStore
import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import GRDB
import StoreTestSupport
import Testing
import VerifyReceipt

@Suite("ReceiptRoutes")
struct ReceiptRoutesTests {
    @available(AppReceiptServer 1.0, *)
    @Test("The route validate returns the library's report and the revoked transactions, for bytes and for JSON")
    func validateReturnsTheReport() async throws {
        let bytes = try Self.receipt(["77"]).signed()
        let expectations = Expectations(bundleIdentifier: "com.example.app", environments: [.sandbox])
        let verifier = ReceiptVerifier(anchors: try TestPKI.standard.anchors)
        let report = verifier.report(bytes, expecting: expectations)
        let expected = try Self.json(report, attributes: false)
        let withRaw = try Self.json(report, attributes: true)
        try await TestServer.with { server async throws in
            let query = "?bundle-id=com.example.app&environment=sandbox"
            let binary = try await server.post("/v1/receipts/validate" + query, bytes)
            #expect(binary.status == 200)
            #expect(binary.json == expected)
            #expect(binary.json["products"]?.array?.count == 1)
            let base64 = Data(bytes).base64EncodedString()
            let json = try await server.post(
                "/v1/receipts/validate",
                ["receipt": .string(base64), "bundle-id": "com.example.app", "environment": ["sandbox"]])
            let ofText = verifier.report(Array(base64.utf8), expecting: expectations)
            #expect(json.json == (try Self.json(ofText, attributes: false)))
            #expect(try await server.post("/v1/receipts/validate" + query + "&raw", bytes).json == withRaw)
        }
    }

    /// The report as the route writes it, without revoked transactions.
    private static func json(_ report: ReceiptReport, attributes: Bool) throws -> AppStoreJSON {
        var object = try #require(AppStoreJSON(parsing: report.json(attributes: attributes)[...]).object)
        object["revoked"] = []
        return .object(object)
    }

    /// A receipt with one purchase of each original.
    private static func receipt(_ originals: [String], created: String = "2024-07-02T15:04:05Z") -> TestReceipt {
        TestReceipt().with { receipt in
            receipt.creationDate = instant(created)
            receipt.purchases = originals.map {
                TestPurchase("com.example.pro", transaction: $0, at: instant("2024-07-01T00:00:00Z"))
            }
        }
    }

    /// A notification about a purchase that was refunded.
    private static func refund(
        _ identifier: String, original: String? = nil, _ change: (inout TestTransaction) -> Void = { _ in }
    ) throws -> AppStoreJSON {
        let transaction = TestTransaction(
            "com.example.pro", transaction: identifier, original: original, at: instant("2024-07-01T00:00:00Z")
        ).with {
            $0.signedDate = instant("2024-08-02T00:00:00Z")
            $0.revocationDate = instant("2024-08-01T00:00:00Z")
            change(&$0)
        }
        let token = try TestNotification(type: .refund).with {
            $0.notificationUUID = UUID().uuidString
            $0.signedTransactionInfo = try transaction.signed()
        }.signed()
        return ["signedPayload": .string(token)]
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A known refund is in products and revoked only if the receipt contains the purchase")
    func refunds() async throws {
        let body = try Self.receipt(["77"]).signed()
        try await TestServer.with { server async throws in
            let before = try await server.post("/v1/receipts/validate", body)
            #expect(before.json["revoked"] == [])
            #expect(before.json["products"]?[0]?["state"]?.string == "owned")
            #expect(before.json["products"]?[0]?["isActive"] == true)
            #expect(
                try await server.post("/v1/notifications?report=true", try Self.refund("99")).json["recorded"] == true)
            #expect(try await server.post("/v1/receipts/validate", body).json == before.json)
            _ = try await server.post("/v1/notifications?report=true", try Self.refund("77"))
            let after = try await server.post("/v1/receipts/validate", body)
            #expect(after.json["verdict"]?.string == "valid")
            #expect(
                after.json["revoked"] == [
                    [
                        "productIdentifier": "com.example.pro", "revocationDate": "2024-08-01T00:00:00Z",
                        "refundedPercentage": .null, "transactionIdentifier": "77",
                    ]
                ])
            #expect(after.json["products"]?.array?.count == 1)
            #expect(after.json["products"]?[0]?["state"]?.string == "refunded")
            #expect(after.json["products"]?[0]?["isActive"] == false)
            #expect(after.json["products"]?[0]?["until"]?.string == "2024-08-01T00:00:00Z")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The refunded percentage is in revoked, and what is left is in products")
    func partOfRefund() async throws {
        let body = try Self.receipt(["77"]).with { $0.purchases[0].quantity = 3 }.signed()
        let refund = try Self.refund("77") {
            $0.quantity = 3
            $0.overrides["revocationPercentage"] = 33_500
        }
        try await TestServer.with { server async throws in
            _ = try await server.post("/v1/notifications", refund)
            let answer = try await server.post("/v1/receipts/validate", body)
            #expect(answer.json["revoked"]?.array?.count == 1)
            #expect(answer.json["revoked"]?[0]?["refundedPercentage"] == .number(AppStoreJSON.Number(33.5)))
            #expect(answer.json["products"]?[0]?["refundedPercentage"] == .number(AppStoreJSON.Number(33.5)))
            #expect(answer.json["products"]?[0]?["quantity"] == 2)
            #expect(answer.json["products"]?[0]?["state"]?.string == "owned")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A refund of a copy that the receipt doesn't list is in revoked under the receipt's transaction")
    func refundOfCopy() async throws {
        let body = try Self.receipt(["2002"]).with { $0.purchases[0].originalTransactionIdentifier = "2000" }.signed()
        try await TestServer.with { server async throws in
            _ = try await server.post("/v1/notifications?report=true", try Self.refund("2000"))
            let answer = try await server.post("/v1/receipts/validate", body)
            #expect(answer.json["revoked"]?.array?.compactMap { $0["transactionIdentifier"]?.string } == ["2002"])
            #expect(answer.json["products"]?[0]?["state"]?.string == "refunded")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Purchases of other originals in stored receipts aren't in the response")
    func otherOriginals() async throws {
        let mine = try Self.receipt(["77"]).signed()
        let theirs = try Self.receipt(["77", "99"], created: "2024-09-01T00:00:00Z").with {
            $0.purchases[1].productIdentifier = "com.example.secret"
            $0.purchases[1].cancellationDate = instant("2024-08-01T00:00:00Z")
        }.signed()
        try await TestServer.with { server async throws in
            #expect(try await server.post("/v1/receipts/validate", theirs).json["products"]?.array?.count == 2)
            let answer = try await server.post("/v1/receipts/validate", mine)
            #expect(
                answer.json["products"]?.array?.compactMap { $0["productIdentifier"]?.string } == ["com.example.pro"])
            #expect(answer.json["revoked"] == [])
            #expect(!answer.text.contains("secret"))
            let verify = try await server.post("/sandbox/verifyReceipt", request(mine))
            #expect(verify.receiptStatus == 0)
            #expect(!verify.text.contains("secret"))
            #expect(verify.json["latest_receipt"]?.string == Data(mine).base64EncodedString())
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("More revocations than the store reads are a retriable error, and never a partial response")
    func tooManyRevocations() async throws {
        try await withDatabasePath { path async throws in
            let limit = StoreLimits.default.maxTransactionsPerOriginal
            try await SQLiteStore(testing: path).close()
            let queue = try DatabaseQueue(path: path)
            // The limit applies to the number of rows, before they are verified.
            try await queue.write { database in
                for number in 1...limit + 1 {
                    try database.execute(
                        sql: """
                            INSERT INTO transactions (
                                app, environment, identifier, original, signed, received, token, revoked, ended)
                            VALUES ('com.example.app', 'sandbox', ?, '77', 0, 0, 'x', 1, 0)
                            """, arguments: ["\(10_000 + number)"])
                }
            }
            try queue.close()
            let body = try Self.receipt(["77"]).signed()
            try await TestServer.with {
                $0.database = .file(path)
            } _: { server async throws in
                let answer = try await server.post("/v1/receipts/validate", body)
                #expect(answer.status == 500)
                #expect(answer.errorCode == "too-much-evidence")
                #expect(answer.json["products"] == nil)
                let verify = try await server.post("/sandbox/verifyReceipt", request(body))
                #expect(verify.status == 200)
                #expect(verify.json == ["status": 21100, "is-retryable": true, "is_retryable": true])
                // The same failure is logged once a minute.
                #expect(server.log.text.components(separatedBy: "too-much-evidence").count == 2)
                #expect(
                    server.metrics.text().contains(
                        #"appreceipt_verify_receipt_responses_total{code="state-unavailable",status="21100"} 1"#))
                let other = try await server.post("/v1/receipts/validate", try Self.receipt(["78"]).signed())
                #expect(other.json["products"]?.array?.count == 1)
            }
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A receipt that replaces more stored receipts than the store reads is answered")
    func consolidation() async throws {
        let originals = (1...StoreLimits.default.maxReceiptsPerReceipt + 1).map { "\(9_000 + $0)" }
        let newest = try Self.receipt(originals).with { $0.creationDate += 86_400 }.signed()
        for isVerifyReceipt in [false, true] {
            try await TestServer.with { server async throws in
                for original in originals {
                    let receipt = try Self.receipt([original]).signed()
                    #expect(try await server.post("/v1/receipts/validate", receipt).status == 200)
                }
                if isVerifyReceipt {
                    let first = try await server.post("/sandbox/verifyReceipt", request(newest))
                    #expect(first.receiptStatus == 21100)
                    #expect(try await server.post("/sandbox/verifyReceipt", request(newest)).receiptStatus == 0)
                } else {
                    let response = try await server.post("/v1/receipts/validate", newest)
                    #expect(response.status == 200)
                    #expect(response.json["products"]?.array?.count == 1)
                }
            }
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Purchases of one environment have no effect on those of the other")
    func environments() async throws {
        let sandbox = Self.receipt(["77"])
        let production = sandbox.with { $0.environment = .production }
        try await TestServer.with { server async throws in
            _ = try await server.post("/v1/notifications?report=true", try Self.refund("77"))
            let refunded = try await server.post("/v1/receipts/validate", try sandbox.signed())
            #expect(refunded.json["products"]?[0]?["state"]?.string == "refunded")
            #expect(refunded.json["products"]?[0]?["environment"]?.string == "sandbox")
            let owned = try await server.post(
                "/v1/receipts/validate", try production.signed(), headers: ["X-Account": "ann"])
            #expect(owned.json["products"]?[0]?["state"]?.string == "owned")
            #expect(owned.json["products"]?[0]?["environment"]?.string == "production")
            #expect(owned.json["revoked"] == [])
            let answer = try await server.post("/verifyReceipt", request(try production.signed()))
            #expect(answer.json["receipt"]?["in_app"]?[0]?["cancellation_date"] == nil)
            // An account owns a purchase in one environment only.
            let other = try await server.post(
                "/v1/receipts/validate", try sandbox.signed(), headers: ["X-Account": "ben"])
            #expect(other.json["replays"] == [])
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("An invalid receipt gets 200 and the check that failed")
    func failures() async throws {
        try await TestServer.with { server async throws in
            let forged = try await server.post("/v1/receipts/validate", try TestReceipt().signed(by: .impostor))
            #expect(forged.status == 200)
            #expect(forged.json["verdict"]?.string == "invalid")
            #expect(forged.json["failure"]?["code"]?.string == "intermediate-signature-invalid")
            #expect(forged.json["products"] == [])
            #expect(forged.json["revoked"] == [])
            let nothing = try await server.post("/v1/receipts/validate", Array("hello".utf8))
            #expect(nothing.json["failure"]?["check"]?.string == "container")
            let other = try await server.post("/v1/receipts/validate?bundle-id=b", try TestReceipt().signed())
            #expect(other.json["failure"]?["code"]?.string == "bundle-identifier-mismatch")
            let device = try await server.post(
                "/v1/receipts/validate?device-id=02:00:00:00:00:01&app-version=9&original-app-version=1.0",
                try TestReceipt().signed())
            #expect(device.json["failure"]?["code"]?.string == "app-version-mismatch")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Text options may have 255 characters, whatever their length in UTF-8; 256 are rejected")
    func textOptions() async throws {
        let receipt = AppStoreJSON.string(Data(try TestReceipt().signed()).base64EncodedString())
        try await TestServer.with { server async throws in
            for option in ExpectationOption.all.filter({ !$0.isRepeatable }).map(\.name) {
                for (count, code) in [(255, nil), (256, "option-malformed")] {
                    let value = AppStoreJSON.string(String(repeating: "\u{1F600}", count: count))
                    for (path, member) in [("/v1/receipts/validate", "receipt"), ("/v1/inspector/examine", "input")] {
                        let response = try await server.post(path, [member: receipt, option: value])
                        #expect(response.status == (code == nil ? 200 : 400))
                        #expect(response.errorCode == code)
                    }
                }
            }
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A request names at most 16 devices")
    func devices() async throws {
        let receipt = AppStoreJSON.string(Data(try TestReceipt().signed()).base64EncodedString())
        try await TestServer.with { server async throws in
            for count in [16, 17] {
                let devices = AppStoreJSON.array((1...count).map { .string("02:00:00:00:00:\($0 + 9)") })
                let validated = try await server.post(
                    "/v1/receipts/validate", ["receipt": receipt, "device-id": devices])
                let examined = try await server.post(
                    "/v1/inspector/examine", ["input": receipt, "device-id": devices])
                for response in [validated, examined] {
                    #expect(response.status == (count == 16 ? 200 : 400))
                    #expect(response.errorCode == (count == 16 ? nil : "option-malformed"))
                }
            }
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The route inspect returns the receipt's unverified contents")
    func inspect() async throws {
        let bytes = try TestReceipt().signed(by: .impostor)
        try await TestServer.with { server async throws in
            let answer = try await server.post("/v1/receipts/inspect?certificates&raw=false", bytes)
            #expect(answer.json["verified"] == false)
            #expect(answer.json["bundleIdentifier"]?.string == "com.example.app")
            #expect(answer.json["certificates"]?.array?.count == 3)
            #expect(answer.json["attributes"] == nil)
            let raw = try await server.post("/v1/receipts/inspect?raw", bytes)
            #expect(raw.json["attributes"]?.array?.isEmpty == false)
            let nothing = try await server.post("/v1/receipts/inspect", Array("hello".utf8))
            #expect(nothing.status == 200)
            #expect(nothing.json["failure"]?["code"]?.string == "input-unrecognized")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A receipt is found in every form, as the body and in a member")
    func forms() async throws {
        let base64 = Data(try Self.receipt(["77"]).signed()).base64EncodedString()
        let urlSafe = base64.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
        let quoted = String(decoding: AppStoreJSON.string(#"{"receipt-data": "\#(base64)"}"#).text(), as: UTF8.self)
        let response = #"{"status": 0, "environment": "Sandbox", "receipt": {}, "latest_receipt": "\#(base64)"}"#
        let texts = [
            base64, urlSafe, quoted, response, "\"\(base64)\"", base64.replacingOccurrences(of: "/", with: #"\/"#),
        ]
        try await TestServer.with { server async throws in
            for path in ["/v1/receipts/validate", "/v1/receipts/inspect"] {
                let expected = try await server.post(path, Array(base64.utf8)).json
                for text in texts {
                    #expect(
                        try await server.post(path, ["receipt": .string(text)]).json == expected, "\(text.prefix(20))")
                    let body = try await server.post(
                        path, Array(text.utf8), headers: ["Content-Type": "application/octet-stream"])
                    #expect(body.json == expected, "\(text.prefix(20))")
                }
                // JSON is a request unless its content type states otherwise.
                let untyped = try await server.post(path, Array(response.utf8), headers: ["Content-Type": "text/plain"])
                #expect(untyped.errorCode == "option-unknown")
                #expect(untyped.text.contains("Send other JSON that contains the receipt with content type"))
                let utf16 = Array(try #require(base64.data(using: .utf16LittleEndian)))
                #expect(try await server.post(path, utf16).json == expected)
            }
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test(
        "A request inside the content is rejected, because its options would be ignored",
        arguments: [
            #"{"receipt": "MIIA", "bundle-id": "x"}"#, #"{"receipt": "MIIA"}"#,
            #"{"receipt": "MIIA", "bundleid": "x"}"#,
            #"{"receipt-data": "MIIA", "bundle-id": "x"}"#, #"{"receipt-data": "MIIA", "environment": "production"}"#,
            #"{"bundle-id": "x", "data": {"latest_receipt": "MIIA"}}"#,
        ])
    func nestedRequests(text: String) async throws {
        let quoted = AppStoreJSON.string(text)
        try await TestServer.with { server async throws in
            for answer in [
                try await server.post(
                    "/v1/receipts/validate", Array(text.utf8), headers: ["Content-Type": "application/octet-stream"]),
                try await server.post("/v1/receipts/validate", ["receipt": quoted]),
                try await server.post("/v1/receipts/validate", quoted.text(), headers: ["Content-Type": "text/plain"]),
            ] {
                #expect(answer.status == 400)
                #expect(answer.errorCode == "content-ambiguous")
            }
            let json = try await server.post(
                "/v1/receipts/validate", quoted.text(), headers: ["Content-Type": "application/json"])
            #expect(json.errorCode == "body-malformed")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test(
        "A malformed request gets 400 with a code",
        arguments: [
            ("/v1/receipts/validate", "", "content-missing"),
            ("/v1/receipts/validate?bundle-idd=x", "M", "option-unknown"),
            ("/v1/receipts/validate?environment=mars", "M", "option-malformed"),
            ("/v1/receipts/validate?environment=xcode", "M", "environment-not-served"),
            ("/v1/receipts/validate?device-id=1", "M", "option-malformed"),
            ("/v1/receipts/validate?raw=perhaps", "M", "option-malformed"),
            ("/v1/receipts/validate?app-version=1&app-version=2", "M", "option-repeated"),
            ("/v1/receipts/validate?bundle-id=", "M", "option-malformed"),
            ("/v1/receipts/validate", #"{"receipt":"M","device-id":[]}"#, "option-malformed"),
            ("/v1/receipts/validate", #"{"receipt":"M","app-version":""}"#, "option-malformed"),
            ("/v1/receipts/validate", "{", "body-malformed"),
            ("/v1/receipts/validate", "{}", "content-missing"),
            ("/v1/receipts/validate", #"{"receipt":1}"#, "content-mistyped"),
            ("/v1/receipts/validate", #"{"receipt":"M","receipt":"M"}"#, "body-malformed"),
            ("/v1/receipts/validate", #"{"receipt":"M","bundleId":"x"}"#, "option-unknown"),
            ("/v1/receipts/validate", #"{"receipt":"M","bundle-id":{}}"#, "option-mistyped"),
            ("/v1/receipts/validate", #"{"receipt":"M","device-id":[["x"]]}"#, "option-mistyped"),
            ("/v1/receipts/validate", #"{"receipt":"M","device-id":[null]}"#, "option-mistyped"),
            ("/v1/receipts/validate", #"{"receipt":"M","device-id":null}"#, "option-malformed"),
            ("/v1/receipts/validate", #"{"receipt":"M","environment":null}"#, "option-malformed"),
            ("/v1/receipts/validate", #"{"receipt":"M","raw":null}"#, "option-malformed"),
            ("/v1/receipts/inspect", #"{"receipt":"M","certificates":null}"#, "option-malformed"),
            ("/v1/receipts/validate", #"{"receipt":"M","bundleId":null}"#, "option-unknown"),
            ("/v1/receipts/validate", #"{"receipt":null}"#, "content-mistyped"),
            ("/v1/signed-data/verify", #"{"token":"x","signedPayload":null}"#, "content-mistyped"),
            ("/v1/signed-data/verify", #"{"token":"x","app-apple-id":null}"#, "option-malformed"),
            ("/v1/signed-data/verify", #"{"token":"x","app-apple-id":9223372036854775808}"#, "option-malformed"),
            ("/v1/signed-data/verify?app-apple-id=9223372036854775808", "x", "option-malformed"),
        ])
    func malformedRequests(path: String, body: String, code: String) async throws {
        try await TestServer.with { server async throws in
            let answer = try await server.post(path, Array(body.utf8))
            #expect(answer.status == 400)
            #expect(answer.errorCode == code)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test(
        "An option in the body that differs from the query is a conflict",
        arguments: [
            ("receipts/validate?environment=production", "receipt", #""environment":"sandbox""#),
            ("receipts/validate?environment=production", "receipt", #""environment":["production","sandbox"]"#),
            ("receipts/validate?bundle-id=com.example.app", "receipt", #""bundle-id":"com.example.b""#),
            // The Kelvin sign, which equals a K but has other bytes.
            ("receipts/validate?bundle-id=com.example.K", "receipt", #""bundle-id":"com.example.\u212a""#),
            ("receipts/validate?app-version=1", "receipt", #""app-version":"1.0""#),
            ("receipts/validate?original-app-version=1", "receipt", #""original-app-version":"2""#),
            ("receipts/validate?device-id=02:00:00:00:00:01", "receipt", #""device-id":"02:00:00:00:00:02""#),
            ("receipts/validate?raw", "receipt", #""raw":false"#),
            ("receipts/inspect?certificates=0", "receipt", #""certificates":true"#),
            ("signed-data/verify?kind=transaction", "token", #""kind":"notification""#),
            ("signed-data/verify?app-apple-id=1", "token", #""app-apple-id":2"#),
            ("signed-data/verify?environment=sandbox", "token", #""environment":"production""#),
            ("signed-data/verify?bundle-id=com.example.app", "token", #""bundle-id":"com.example.b""#),
            (
                "signed-data/verify?device-id=956328D9-CC6A-47F4-BE40-6953FB0AB6C7", "token",
                #""device-id":"956328D9-CC6A-47F4-BE40-6953FB0AB6C8""#
            ),
        ])
    func conflicts(path: String, content: String, option: String) async throws {
        try await TestServer.with { server async throws in
            let answer = try await server.post("/v1/" + path, Array(#"{"\#(content)":"M",\#(option)}"#.utf8))
            #expect(answer.status == 400)
            #expect(answer.errorCode == "option-conflict")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test(
        "An option may be in the query and the body if its converted values are equal",
        arguments: [
            (
                "receipts/validate?environment=production&environment=sandbox&environment=sandbox", "receipt",
                #""environment":["sandbox","production"]"#
            ),
            ("receipts/validate?environment=sandbox", "receipt", #""environment":"sandbox""#),
            (
                "receipts/validate?device-id=02:00:00:00:00:0a&device-id=020000000001", "receipt",
                #""device-id":["02:00:00:00:00:01","02-00-00-00-00-0A"]"#
            ),
            (
                "receipts/validate?bundle-id=com.example.app&raw", "receipt",
                #""bundle-id":"com.example.app","raw":true"#
            ),
            ("signed-data/verify?app-apple-id=5", "token", #""app-apple-id":5.0"#),
            (
                "signed-data/verify?device-id=956328d9-cc6a-47f4-be40-6953fb0ab6c7", "token",
                #""device-id":"956328D9-CC6A-47F4-BE40-6953FB0AB6C7""#
            ),
        ])
    func equalOptions(path: String, content: String, options: String) async throws {
        try await TestServer.with { server async throws in
            let answer = try await server.post("/v1/" + path, Array(#"{"\#(content)":"M",\#(options)}"#.utf8))
            #expect(answer.status == 200)
            #expect(answer.json["verdict"]?.string == "invalid")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A sandbox receipt isn't valid if the query expects production and the body differs")
    func bodyDoesNotWiden() async throws {
        let receipt = Data(try TestReceipt().signed()).base64EncodedString()
        try await TestServer.with { server async throws in
            for option in [AppStoreJSON.string("sandbox"), ["sandbox", "production"], .null] {
                let answer = try await server.post(
                    "/v1/receipts/validate?environment=production",
                    ["receipt": .string(receipt), "environment": option])
                #expect(answer.status == 400)
            }
            let answer = try await server.post(
                "/v1/receipts/validate?environment=production", ["receipt": .string(receipt)])
            #expect(answer.json["failure"]?["code"]?.string == "environment-mismatch")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A server with configured apps validates only their receipts")
    func servedBundles() async throws {
        try await TestServer.with {
            $0.bundleIdentifiers = ["com.example.app", "com.example.b"]
        } _: { server async throws in
            let own = try await server.post("/v1/receipts/validate", try TestReceipt().signed())
            #expect(own.json["verdict"]?.string == "valid")
            let foreign = try await server.post(
                "/v1/receipts/validate", try TestReceipt(bundleIdentifier: "com.example.z").signed())
            #expect(foreign.json["failure"]?["code"]?.string == "bundle-identifier-mismatch")
            let other = try await server.post(
                "/v1/receipts/validate?bundle-id=com.example.z", try TestReceipt().signed())
            #expect(other.errorCode == "bundle-not-served")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("With an account, the report lists the original transactions of another account")
    func replays() async throws {
        let receipt = try TestReceipt().with {
            $0.purchases = [TestPurchase("com.example.pro", transaction: "77", at: $0.creationDate)]
        }.signed()
        try await TestServer.with { server async throws in
            #expect(try await server.post("/v1/receipts/validate", receipt).json["replays"] == nil)
            let alice = try await server.post("/v1/receipts/validate", receipt, headers: ["X-Account": "alice"])
            #expect(alice.json["replays"] == [])
            let mallory = try await server.post("/v1/receipts/validate", receipt, headers: ["X-Account": "mallory"])
            #expect(mallory.json["replays"] == ["77"])
            #expect(mallory.json["verdict"]?.string == "valid")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Other evidence counts together with the receipt, also what a notification contains")
    func otherEvidence() async throws {
        let receipt = try Self.receipt(["77"]).signed().base64
        let refunded = try TestTransaction("com.example.pro", transaction: "77").with {
            $0.signedDate = instant("2025-01-01T00:00:00Z")
            $0.revocationDate = instant("2024-12-31T00:00:00Z")
        }.signed()
        let notification = try TestNotification(type: .refund).with { $0.signedTransactionInfo = refunded }.signed()
        for evidence in [refunded, notification] {
            try await TestServer.with { server async throws in
                let alone = try await server.post("/v1/receipts/validate", ["receipt": .string(receipt)])
                #expect(alone.json["products"]?[0]?["state"]?.string == "owned")
                #expect(alone.json["rejected"] == nil)
                let together = try await server.post(
                    "/v1/receipts/validate", ["receipt": .string(receipt), "evidence": [.string(evidence)]])
                #expect(together.json["products"]?[0]?["state"]?.string == "refunded")
                #expect(together.json["rejected"] == [])
            }
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("What is rejected of other evidence is listed, also beside an invalid receipt")
    func rejectedEvidence() async throws {
        var forged = try Self.receipt(["77"]).signed()
        forged[forged.count - 1] ^= 1
        try await TestServer.with { [forged] server async throws in
            for receipt in [try Self.receipt(["77"]).signed(), forged] {
                let response = try await server.post(
                    "/v1/receipts/validate",
                    ["receipt": .string(receipt.base64), "evidence": ["eyJ.e30.AA", .string(forged.base64)]])
                #expect(response.json["rejected"]?.array?.map { $0["index"]?.number?.int64 } == [0, 1])
                #expect(response.json["rejected"]?[1]?["code"]?.string == "signature-invalid")
            }
        }
    }
}
#endif
