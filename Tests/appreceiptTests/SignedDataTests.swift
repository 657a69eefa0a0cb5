import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import TestSupport
import Testing

@Suite("appreceipt signed-data")
struct SignedDataTests {
    private let folder: TemporaryFolder
    private let root: String

    init() throws {
        folder = try TemporaryFolder()
        root = folder.url("root.pem").path
        try Data(TestPKI.signedData.root.pem().utf8).write(to: URL(fileURLWithPath: root))
    }

    private func file(_ name: String, _ text: String) throws -> String {
        try Data(text.utf8).write(to: folder.url(name))
        return folder.url(name).path
    }

    @Test("A valid token of each kind is accepted from a file, as an argument and on standard input")
    func kinds() throws {
        let tokens = try [
            "transaction": TestTransaction("com.example.pro", transaction: "1").signed(),
            "renewal-info": TestRenewalInfo("com.example.pro", original: "1").signed(),
            "app-transaction": TestAppTransaction().signed(), "notification": TestNotification().signed(),
            "realtime-request": TestRealtimeRequest("com.example.pro", original: "1").signed(),
        ]
        for (kind, token) in tokens {
            let options = [
                "--root", root, "--bundle-id", "com.example.app", "--environment", "sandbox", "--format", "json",
            ]
            let path = try file("token", token + "\n")
            for result in try [
                CommandLineTool.run(["signed-data", path] + options),
                CommandLineTool.run(["signed-data", token] + options),
                CommandLineTool.run(["signed-data", "-"] + options, input: Data("  \(token)\r\n".utf8)),
                CommandLineTool.run(
                    ["signed-data", "-"] + options, input: Data("{\"signedPayload\":\"\(token)\"}".utf8)),
            ] {
                #expect(result.status == 0)
                let json = try result.json()
                #expect(json["verdict"] as? String == "valid")
                #expect(json["kind"] as? String == kind)
                #expect(json["environment"] as? String == "sandbox")
                let products = json["products"] as? [[String: Any]]
                #expect(products?.map { $0["state"] as? String } == (kind == "transaction" ? ["owned"] : []))
                #expect(
                    (json["checks"] as? [[String: Any]])?.compactMap { $0["name"] as? String }
                        == ValidationCheck.signedDataChecks.map(\.rawValue))
            }
        }
    }

    @Test("An invalid token fails with its check and code, and status 1")
    func failures() throws {
        let good = try TestTransaction("com.example.pro", transaction: "1").signed()
        func failure(_ token: String, _ options: String...) throws -> [String] {
            let result = try CommandLineTool.run(
                ["signed-data", "-", "--format", "json"] + options, input: Data(token.utf8))
            #expect(result.status == 1)
            return try result.failure()
        }
        #expect(try failure(good) == ["certificate-chain", "root-not-trusted"])
        #expect(
            try failure(good, "--root", root, "--bundle-id", "x") == [
                "bundle-identifier", "bundle-identifier-mismatch",
            ])
        #expect(
            try failure(good, "--root", root, "--environment", "production") == ["environment", "environment-mismatch"])
        #expect(try failure(good, "--root", root, "--kind", "notification") == ["payload", "token-kind-mismatch"])
        #expect(
            try failure(good, "--root", root, "--device-id", "7EDEA87D-98F0-42D0-9682-49CA81022F73") == [
                "device-verification", "device-verification-missing",
            ])
        #expect(try failure("nonsense") == ["token", "token-malformed"])
        #expect(try failure("") == ["token", "token-malformed"])
    }

    @Test("A token that is cut off is reported as such")
    func truncated() throws {
        let token = try TestTransaction("com.example.pro", transaction: "1").signed()
        let signature = try #require(token.lastIndex(of: "."))
        let payload = try #require(token.firstIndex(of: "."))
        let parts: [Substring] = [
            token.dropLast(1), token.dropLast(40), token[...signature], token[..<signature], token[...payload],
            token[..<payload], token.prefix(300),
        ]
        for cut in parts.map({ String($0) }) {
            for command in ["signed-data", "validate"] {
                let result = try CommandLineTool.run(
                    [command, "-", "--root", root, "--format", "json"], input: Data(cut.utf8))
                #expect(result.status == 1)
                #expect(try result.failure() == ["token", "token-truncated"], "\(cut.utf8.count)")
                #expect(result.output.contains("The token is cut off"))
            }
        }
    }

    @Test("StoreKit 2's JSON without a signature is recognized, and the remedy names what to send")
    func unsigned() throws {
        let members = AppStoreJSON.object(TestTransaction("com.example.pro", transaction: "1").members)
        let json = String(decoding: members.text(isPretty: true), as: UTF8.self)
        for command in ["signed-data", "validate", "inspect"] {
            for input in [Data(json.utf8), Data(Data(json.utf8).base64EncodedString().utf8)] {
                let result = try CommandLineTool.run([command, "-", "--format", "json"], input: input)
                #expect(result.status == 1)
                #expect(try result.failure() == ["token", "token-unsigned"])
                #expect(result.output.contains("jwsRepresentation"))
            }
        }
        let purchases = try CommandLineTool.run(["purchases", "-", "--format", "json"], input: Data(json.utf8))
        let rejected = try purchases.json()["rejected"] as? [[String: Any]]
        #expect(rejected?.map { $0["code"] as? String } == ["token-unsigned"])
        let line = String(decoding: members.text(), as: UTF8.self)
        let lines = "\(line)\n{\"id\":\"2\",\"transaction\":\(line)}\n"
        let batch = try CommandLineTool.run(["batch", "-"], input: Data(lines.utf8))
        #expect(batch.output.components(separatedBy: "\"code\":\"token-unsigned\"").count == 3)
    }

    @Test("A version 1 notification is named as such, and its receipt still counts as a purchase's evidence")
    func version1Notification() throws {
        let receipt = try TestReceipt().with {
            $0.purchases = [TestPurchase("com.example.pro", transaction: "1")]
        }.signed()
        let json = """
            {"notification_type":"DID_RENEW","password":"secret","environment":"Sandbox","unified_receipt":{
            "status":0,"latest_receipt":"\(Data(receipt).base64EncodedString())"}}
            """
        let path = try file("notification.json", json)
        let result = try CommandLineTool.run("signed-data", path, "--format", "json")
        #expect(result.status == 1)
        #expect(try result.failure() == ["token", "notification-version-1"])
        #expect(result.output.contains("App Store Connect"))
        let receiptRoot = folder.url("receipt-root.pem").path
        try Data(TestPKI.standard.root.pem().utf8).write(to: URL(fileURLWithPath: receiptRoot))
        let purchases = try CommandLineTool.run("purchases", path, "--root", receiptRoot, "--format", "json")
        #expect(purchases.status == 0)
        #expect((try purchases.json()["products"] as? [Any])?.count == 1)
    }

    @Test("A version 1 notification is named as such by every command that finds no receipt in it")
    func version1NotificationWithoutReceipt() throws {
        let json = """
            {"notification_type":"DID_CHANGE_RENEWAL_STATUS","password":"secret","environment":"PROD",\
            "auto_renew_status":"true","unified_receipt":{"status":0,"environment":"Production","latest_receipt":""}}
            """
        let path = try file("notification.json", json)
        for command in [
            ["signed-data", path], ["validate", path], ["inspect", path], ["purchases", path], ["batch", path],
        ] {
            let result = try CommandLineTool.run(command + (command[0] == "batch" ? [] : ["--format", "json"]))
            #expect(result.status == (command[0] == "batch" ? 0 : 1))
            #expect(result.output.contains("notification-version-1"), "\(command[0]): \(result.output)")
            #expect(result.output.contains("App Store Connect"))
            #expect(!result.output.contains("secret"))
        }
    }

    @Test("Only JSON is called JSON instead of a token")
    func notJSON() throws {
        let list = String(
            decoding: try TestTransactionReceipt("com.example.pro", transaction: "1").signed(), as: UTF8.self)
        for (text, message) in [
            (list, "The text is a property list like a transaction receipt, not a token."),
            ("{ purchase = x; }", "The text begins like JSON but can't be read as JSON, and isn't a token."),
            ("{\"status\": 0}", "The text is JSON, not a token."),
        ] {
            let result = try CommandLineTool.run("signed-data", try file("x.plist", text))
            #expect(result.status == 1)
            #expect(result.output.contains(message), "\(result.output)")
        }
    }

    @Test("The remedy for a token without a bundle identifier speaks of a token")
    func missingBundleIdentifier() throws {
        let token = try TestTransaction("com.example.pro", transaction: "1").with {
            $0.overrides = ["bundleId": .null]
        }.signed()
        for options in [["--format", "json"], []] {
            let result = try CommandLineTool.run(
                ["signed-data", token, "--root", root, "--bundle-id", "com.example.app"] + options)
            #expect(result.status == 1)
            #expect(result.output.contains("request it again from the App Store"))
            #expect(!result.output.contains("receipt"))
        }
    }

    @Test("A byte order mark before a token, JSON, base64 or PEM is ignored")
    func byteOrderMark() throws {
        let token = try TestTransaction("com.example.pro", transaction: "1").signed()
        let marked = try file("marked-root.pem", "\u{FEFF}" + TestPKI.signedData.root.pem())
        let body = "{\"signedPayload\":\"\(token)\"}"
        for text in [token, body, "\"\(token)\""] {
            let path = try file("token", "\u{FEFF}" + text)
            #expect(try CommandLineTool.run("signed-data", path, "--root", marked).status == 0)
            #expect(try CommandLineTool.run("purchases", path, "--root", marked).status == 0)
        }
    }

    @Test("Text of valid data begins with the products and what happened, and says if there are none")
    func products() throws {
        let period = TestTransaction(
            "com.example.plus", transaction: "7", at: instant("2024-07-01T00:00:00Z"),
            until: instant("2024-08-01T00:00:00Z"))
        let renewal = TestRenewalInfo("com.example.plus", original: "7").with {
            $0.signedDate = instant("2024-08-02T00:00:00Z")
            $0.autoRenewStatus = .off
            $0.expirationIntent = .canceled
        }
        let notification = try TestNotification(type: .expired, subtype: .voluntary).with {
            $0.signedTransactionInfo = try period.signed()
            $0.signedRenewalInfo = try renewal.signed()
        }.signed()
        func lines(_ token: String, _ options: String...) throws -> [String] {
            let result = try CommandLineTool.run(["validate", token, "--root", root] + options)
            #expect(result.status == (options.isEmpty ? 0 : 1))
            return result.output.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
        }
        let shown = try lines(notification)
        #expect(shown[0].hasPrefix("com.example.plus  expired  since 2024-07-01 00:00, until 2024-08-01 00:00"))
        #expect(shown[1] == "The subscription ended, because the customer had turned off renewal.")
        let titles: Set = ["Why", "VALID   Notification, sandbox", "Checks", "Notification"]
        #expect(shown.filter(titles.contains) == ["Why", "VALID   Notification, sandbox", "Checks", "Notification"])
        #expect(try lines(renewal.signed())[0].hasPrefix("Renewal information alone proves no purchase."))
        #expect(try lines(TestAppTransaction().signed())[0] == "An app transaction contains no in-app purchases.")
        #expect(try lines(TestNotification(type: .test).signed())[0] == "The notification contains no transaction.")
        #expect(try lines(notification, "--bundle-id", "com.example.other")[0].hasPrefix("NOT VALID"))
    }

    @Test("Text shows verdict, checks and payload, without terminal control characters")
    func text() throws {
        let token = try TestTransaction("com.example.\u{1B}[31mpro", transaction: "1").signed()
        let result = try CommandLineTool.run(["signed-data", "-", "--root", root], input: Data(token.utf8))
        #expect(result.status == 0)
        #expect(
            result.output.contains(
                "VALID   Transaction, sandbox\nSigned under the root passed with --root. Not checked: bundle identifier, environment, device."
            ))
        #expect(result.output.contains("2024-07-02 15:04:05 UTC"))
        #expect(!result.output.contains("\u{1B}"))
    }

    @Test("Wrong usage and unreadable files have different exit statuses")
    func usage() throws {
        #expect(try CommandLineTool.run("signed-data", "/nonexistent").status == 66)
        #expect(try CommandLineTool.run("signed-data", "-", "--kind", "moon").status == 64)
        #expect(try CommandLineTool.run("signed-data", "-", "--device-id", "moon").status == 64)
    }

    @Test("Inspect shows a token and its nested tokens, and states that nothing was verified")
    func inspect() throws {
        let made = try TestNotification(type: .didRenew).with {
            $0.signedTransactionInfo = try TestTransaction("com.example.pro", transaction: "1").signed()
        }
        let path = try file("token", made.signed())
        let json = try CommandLineTool.run("inspect", path, "--format", "json", "--certificates").json()
        #expect(json["verified"] as? Bool == false)
        #expect(json["kind"] as? String == "notification")
        #expect(
            ((json["nested"] as? [[String: Any]])?.first?["payload"] as? [String: Any])?["productId"] as? String
                == "com.example.pro")
        #expect((json["certificates"] as? [Any])?.count == 2)
        let text = try CommandLineTool.run("inspect", path)
        #expect(text.status == 0)
        #expect(text.output.contains("NOT VERIFIED"))
        #expect(text.output.contains("DID_RENEW"))
        let broken = try CommandLineTool.run(
            "inspect", try file("broken", "eyJhbGciOiJub25lIn0.e30."), "--format", "json")
        #expect(broken.status == 1)
        #expect(try broken.failure() == ["token", "token-signature-malformed"])
    }

    @Test("Tokens of Xcode in one folder have one certificate, so all of them are trusted together")
    func xcodeCertificate() throws {
        let made = [("a", "7"), ("b", "8")]
        for (product, transaction) in made {
            let result = try CommandLineTool.run(
                "make", "transaction", "--bundle-id", "com.example.app", "--environment", "xcode", "--product", product,
                "--transaction-id", transaction, "--name", product, "--out", folder.path)
            #expect(result.status == 0)
        }
        let certificate = folder.url("xcode-certificate.cer")
        let result = try CommandLineTool.run(
            ["purchases"] + made.map { folder.url("\($0.0).jws").path } + ["--trust-xcode", certificate.path])
        #expect(result.status == 0)
        // Another certificate isn't one of these tokens.
        try Data(TestPKI.xcode.der()).write(to: certificate)
        let replaced = try CommandLineTool.run(
            "make", "app-transaction", "--bundle-id", "com.example.app", "--environment", "xcode", "--out", folder.path)
        #expect(replaced.status == 0)
        let app = folder.url("app-transaction.jws").path
        #expect(try CommandLineTool.run("signed-data", app, "--trust-xcode", certificate.path).status == 0)
    }

    @Test("The refund of the app itself is shown")
    func refundedApp() throws {
        let app = TestAppTransaction().with { $0.overrides = ["revocationDate": 1_719_932_645_000] }
        let path = try file("app", app.signed())
        let shown = try CommandLineTool.run("signed-data", path, "--root", root)
        #expect(shown.output.contains("The app itself was refunded on 2024-07-02."))
        let purchases = try CommandLineTool.run("purchases", path, "--root", root)
        #expect(purchases.errors.contains("The app itself was refunded on 2024-07-02."))
    }

    @Test("Make creates every kind, valid and forged")
    func make() throws {
        let common = ["--out", folder.path]
        let made: [(arguments: [String], file: String, kind: String)] = [
            (
                [
                    "transaction", "--bundle-id", "com.example.app", "--product", "plus", "--expires",
                    "2024-08-01T00:00:00Z", "--claim", "price=5", "--claim", "currency=null",
                ], "transaction.jws", "transaction"
            ),
            (
                ["renewal-info", "--product", "plus", "--auto-renew-off", "--grace-until", "2024-08-01T00:00:00Z"],
                "renewal-info.jws", "renewal-info"
            ),
            (
                [
                    "app-transaction", "--bundle-id", "com.example.app", "--environment", "production",
                    "--app-apple-id", "7",
                ], "app-transaction.jws", "app-transaction"
            ),
            (
                [
                    "notification", "--bundle-id", "com.example.app", "--type", "SUBSCRIBED", "--product", "plus",
                    "--expires", "2024-08-01T00:00:00Z",
                ], "notification.jws", "notification"
            ),
        ]
        for (arguments, file, kind) in made {
            #expect(try CommandLineTool.run(["make"] + arguments + common).status == 0)
            let result = try CommandLineTool.run(
                "signed-data", folder.url(file).path, "--root", root, "--format", "json")
            #expect(result.status == 0)
            #expect(try result.json()["kind"] as? String == kind)
            for (forgery, code) in [
                ("payload", "signature-invalid"), ("signature", "signature-invalid"),
                ("impostor", "intermediate-signature-invalid"), ("unsigned", "token-algorithm-unsupported"),
            ] {
                #expect(try CommandLineTool.run(["make"] + arguments + common + ["--forge", forgery]).status == 0)
                let forged = try CommandLineTool.run(
                    "signed-data", folder.url(file).path, "--root", root, "--format", "json")
                #expect(try forged.failure()[1] == code, "\(kind) \(forgery)")
            }
        }
        let members = try CommandLineTool.run(["make"] + made[0].arguments + common).output
        #expect(members.hasSuffix("root.pem\n"))
        let payload =
            try CommandLineTool.run("inspect", folder.url("transaction.jws").path, "--format", "json").json()["payload"]
            as? [String: Any]
        #expect(payload?["price"] as? Int == 5)
        #expect(payload?["currency"] == nil)
    }

    @Test("A made notification has the state that follows from its dates, and nested members")
    func states() throws {
        func status(_ options: String...) throws -> Int? {
            let arguments = ["make", "notification", "--bundle-id", "a.b", "--out", folder.path] + options
            #expect(try CommandLineTool.run(arguments).status == 0)
            let json = try CommandLineTool.run("inspect", folder.url("notification.jws").path, "--format", "json")
                .json()
            return ((json["payload"] as? [String: Any])?["data"] as? [String: Any])?["status"] as? Int
        }
        let ended = ["--product", "p", "--expires", "2024-07-01T00:00:00Z"]
        #expect(try status("--product", "p", "--expires", "2024-08-01T00:00:00Z") == 1)
        #expect(try status(ended[0], ended[1], ended[2], ended[3]) == 2)
        #expect(try status(ended[0], ended[1], ended[2], ended[3], "--grace-until", "2024-07-10T00:00:00Z") == 4)
        #expect(try status(ended[0], ended[1], ended[2], ended[3], "--revoked", "2024-07-01T00:00:00Z") == 5)
        #expect(try status(ended[0], ended[1], ended[2], ended[3], "--claim", "data.status=3") == 3)
        #expect(
            try CommandLineTool.run(
                "make", "notification", "--bundle-id", "a.b", "--expires", "2024-07-01T00:00:00Z", "--out", folder.path
            ).status == 64)
        #expect(
            try CommandLineTool.run(
                ["make", "notification", "--bundle-id", "a.b", "--status", "4", "--out", folder.path] + ended
            ).status == 64)
        for product in [[], ["--product", "p"]] {
            let result = try CommandLineTool.run(
                ["make", "notification", "--bundle-id", "a.b", "--status", "2", "--out", folder.path] + product)
            #expect(result.status == 64)
            #expect(result.errors.contains("--status describes a subscription and requires --product and --expires."))
        }
    }

    @Test(
        "A made notification answers with the state that it reports",
        arguments: [
            (["DID_FAIL_TO_RENEW"], "billingRetry", "the App Store retries until"),
            (["EXPIRED", "--subtype", "VOLUNTARY"], "expired", "because the customer canceled it"),
            (["EXPIRED", "--subtype", "BILLING_RETRY"], "expired", "because the renewal couldn't be billed"),
            (["EXPIRED", "--grace-until", "2024-07-01T00:00:00Z"], "expired", "for an unknown reason"),
            (["EXPIRED", "--subtype", "PRICE_INCREASE"], "expired", "didn't consent to a price increase"),
            (["EXPIRED", "--subtype", "PRODUCT_NOT_FOR_SALE"], "expired", "wasn't available for renewal"),
            (["EXPIRED", "--auto-renew-off"], "expired", "because the customer canceled it"),
            (["EXPIRED"], "expired", "for an unknown reason"),
        ])
    func answers(_ type: [String], _ state: String, _ reason: String) throws {
        // The App Store retries for sixty days.
        let now = Date()
        let made = try CommandLineTool.run(
            [
                "make", "notification", "--bundle-id", "a.b", "--product", "p", "--expires",
                ReceiptDate.string(from: now.addingTimeInterval(-86_400)), "--signed", ReceiptDate.string(from: now),
                "--out", folder.path, "--type",
            ] + type)
        #expect(made.status == 0)
        let result = try CommandLineTool.run(
            "signed-data", folder.url("notification.jws").path, "--root", root, "--format", "json"
        ).json()
        let product = try #require((result["products"] as? [[String: Any]])?.first)
        #expect(product["state"] as? String == state)
        #expect((product["reason"] as? String)?.contains(reason) == true)
        #expect(product["willRenew"] as? Bool == (state != "expired"))
    }

    @Test("A token that was copied with text around it is data, not the name of a file")
    func copied() throws {
        let token = try TestTransaction("com.example.pro", transaction: "1").signed()
        for (text, status) in [
            ("\"\(token)\"", 0), ("Bearer \(token)", 0), (String(token.dropLast(700)), 1),
            (String(repeating: "x", count: 5000), 1),
        ] as [(String, Int32)] {
            let result = try CommandLineTool.run("signed-data", text, "--root", root)
            #expect(result.status == status)
            #expect(result.errors.contains("decoded") == (status == 0))
            #expect(!result.errors.contains(token.prefix(500)))
        }
        #expect(
            try CommandLineTool.run("validate", token, "--format", "json").failure() == [
                "certificate-chain", "root-not-trusted",
            ])
        let cut = try CommandLineTool.run("inspect", String(token.dropLast(4)), "--format", "json")
        #expect(cut.status == 1)
        #expect((try cut.json()["payload"] as? [String: Any]) == nil)
        #expect(try cut.failure()[1].hasPrefix("token-"))
    }

    @Test("Made Xcode data is valid with its certificate")
    func xcode() throws {
        #expect(
            try CommandLineTool.run(
                "make", "transaction", "--bundle-id", "a.b", "--product", "p", "--environment", "xcode", "--out",
                folder.path
            ).status == 0)
        let arguments = ["signed-data", folder.url("transaction.jws").path, "--format", "json"]
        #expect(try CommandLineTool.run(arguments).failure() == ["certificate-chain", "xcode-not-trusted"])
        let result = try CommandLineTool.run(arguments + ["--trust-xcode", folder.url("xcode-certificate.cer").path])
        #expect(result.status == 0)
        #expect(try result.json()["environment"] as? String == "xcode")
        #expect(
            try CommandLineTool.run(
                "make", "notification", "--bundle-id", "a.b", "--environment", "xcode", "--out", folder.path
            )
            .status == 64)
    }
}
