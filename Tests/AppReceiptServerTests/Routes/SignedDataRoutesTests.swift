#if Server
import VerifyReceipt
import AppReceiptServer
import AppReceiptKit
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing
import AppReceiptSupport

@Suite("SignedDataRoutes")
struct SignedDataRoutesTests {
    private let start = instant("2024-07-01T10:00:00Z")
    private let renewed = instant("2024-08-01T10:00:00Z")

    /// A receipt with one period of a subscription.
    private func receipt() throws -> [UInt8] {
        try TestReceipt().with {
            $0.purchases = [
                TestPurchase(subscription: "com.example.monthly", transaction: "100", from: start, to: renewed)
            ]
        }.signed()
    }

    private func period(_ transaction: String, _ date: Date, signed: Date) -> TestTransaction {
        TestTransaction(
            "com.example.monthly", transaction: transaction, at: date, until: date.addingTimeInterval(30 * 86_400)
        ).with {
            $0.originalTransactionIdentifier = "100"
            $0.signedDate = signed
        }
    }

    private func notification(
        _ type: NotificationType, _ transaction: TestTransaction, uuid: String = UUID().uuidString
    ) throws -> AppStoreJSON {
        let renewal = TestRenewalInfo("com.example.monthly", original: "100").with {
            $0.signedDate = transaction.signedDate
        }
        let token = try TestNotification(type: type).with {
            $0.notificationUUID = uuid
            $0.signedDate = transaction.signedDate
            $0.signedTransactionInfo = try transaction.signed()
            $0.signedRenewalInfo = try renewal.signed()
        }.signed()
        return ["signedPayload": .string(token)]
    }

    @available(AppReceiptServer 1.0, *)
    @Test("StoreKit 2's JSON without a signature is recognized by every route, with or without a byte order mark")
    func unsigned() async throws {
        let members = AppStoreJSON.object(TestTransaction("com.example.pro", transaction: "7").members)
        func code(_ response: ServerResponse) -> String? {
            response.json["failure"]?["code"]?.string
        }
        try await TestServer.with { server async throws in
            for mark in [[], [0xEF, 0xBB, 0xBF]] as [[UInt8]] {
                let body = mark + members.text()
                for route in ["signed-data/verify", "receipts/validate", "receipts/inspect", "notifications"] {
                    #expect(try await code(server.post("/v1/\(route)", body)) == "token-unsigned", "\(route)")
                }
            }
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A version 1 notification is named as such, and the remedy names the setting")
    func version1Notification() async throws {
        let body: AppStoreJSON = [
            "notification_type": "DID_RENEW", "password": "secret",
            "unified_receipt": ["latest_receipt": .string(Data(try receipt()).base64EncodedString())],
        ]
        try await TestServer.with { server async throws in
            for route in ["notifications", "signed-data/verify"] {
                let response = try await server.post("/v1/\(route)", body)
                let failure = response.json["failure"]
                #expect(failure?["code"] == "notification-version-1")
                #expect(failure?["remedy"]?.string?.contains("App Store Connect") == true)
            }
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The route verify returns the library's report, for text and for JSON")
    func verify() async throws {
        let token = try TestTransaction("com.example.pro", transaction: "7").signed()
        let verifier = SignedDataVerifier(anchors: try TestPKI.signedData.anchors)
        let report = verifier.report(
            token,
            expecting: SignedDataExpectations(
                bundleIdentifier: "com.example.app", environments: [.sandbox], appAppleIdentifier: .anyApp))
        let expected = try AppStoreJSON(parsing: report.json()[...])
        try await TestServer.with { server async throws in
            let query = "?bundle-id=com.example.app&environment=sandbox"
            let text = try await server.post("/v1/signed-data/verify" + query, Array(token.utf8))
            #expect(text.json == expected)
            #expect(text.json["verdict"]?.string == "valid")
            let json = try await server.post(
                "/v1/signed-data/verify",
                ["token": .string(token), "bundle-id": "com.example.app", "environment": "sandbox"])
            #expect(json.json == expected)
            let wrong = try await server.post("/v1/signed-data/verify?kind=notification", Array(token.utf8))
            #expect(wrong.json["verdict"]?.string == "invalid")
            #expect(try await server.post("/v1/signed-data/verify?kind=x", Array(token.utf8)).status == 400)
            for (identifier, status) in [("x", 400), ("9223372036854775807", 200), ("9223372036854775808", 400)] {
                let path = "/v1/signed-data/verify?app-apple-id=\(identifier)"
                #expect(try await server.post(path, Array(token.utf8)).status == status)
            }
            let forged = try await server.post("/v1/signed-data/verify", Array((token.dropLast(4) + "AAAA").utf8))
            #expect(forged.json["verdict"]?.string == "invalid")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A renewal from a notification is in the next response for that subscription")
    func renewals() async throws {
        let body = request(try receipt())
        let notified = try notification(.didRenew, period("101", renewed, signed: renewed))
        try await TestServer.with { server async throws in
            let before = try await server.post("/sandbox/verifyReceipt", body)
            #expect(before.json["latest_receipt_info"]?.array?.count == 1)
            #expect(before.json["pending_renewal_info"]?.array?.isEmpty != false)
            let received = try await server.post("/v1/notifications?report=true", notified)
            #expect(received.status == 200)
            #expect(received.json["recorded"] == true)
            let after = try await server.post("/sandbox/verifyReceipt", body)
            #expect(after.json["latest_receipt_info"]?.array?.count == 2)
            #expect(after.json["latest_receipt_info"]?[0]?["transaction_id"]?.string == "101")
            #expect(after.json["pending_renewal_info"]?[0]?["auto_renew_status"]?.string == "1")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A refund from a notification is in the next response")
    func refunds() async throws {
        let body = request(try receipt())
        let refunded = period("100", start, signed: renewed).with { $0.revocationDate = renewed }
        let notified = try notification(.refund, refunded)
        try await TestServer.with { server async throws in
            #expect(try await server.post("/v1/notifications?report=true", notified).status == 200)
            let answer = try await server.post("/sandbox/verifyReceipt", body)
            #expect(answer.json["latest_receipt_info"]?[0]?["cancellation_date_ms"]?.string != nil)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A notification about something new gets 200 and is recorded as unknown, unless it names another app")
    func unknownSubject() async throws {
        let containers: [(AppStoreJSON.Object, Int)] = [
            (["groupData": ["bundleId": "com.example.app", "environment": "Production", "appAppleId": 1]], 200),
            (["groupData": ["bundleId": "com.example.app", "environment": "Sandbox"]], 200),
            (["groupData": ["group": "7"]], 200),
            (["groupData": ["bundleId": "com.example.other", "environment": "Sandbox"]], 400),
            (["a": ["bundleId": "com.example.app"], "b": ["bundleId": "com.example.other"]], 400),
            ([:], 400),
        ]
        try await TestServer.with {
            $0.bundleIdentifiers = ["com.example.app"]
        } _: { server async throws in
            for (number, (container, status)) in containers.enumerated() {
                let token = try TestNotification(type: NotificationType(rawValue: "GROUP_CHANGE")).with {
                    $0.notificationUUID = "00000000-0000-4000-8000-00000000000\(number)"
                    $0.overrides = ["data": .null]
                    for member in container.members { $0.overrides[member.name] = member.value }
                }.signed()
                let body = AppStoreJSON.object(["signedPayload": .string(token)]).text()
                let answer = try await server.post("/v1/notifications", Array(body))
                #expect(answer.status == status, "\(number)")
                if status == 200 { #expect(try await server.post("/v1/notifications", Array(body)).status == 200) }
            }
            let metrics = try await server.get("/metrics").text
            #expect(metrics.contains("appreceipt_notifications_total{outcome=\"unknown\"} 3\n"))
            #expect(metrics.contains("appreceipt_notifications_total{outcome=\"repeated\"} 3\n"))
            #expect(metrics.contains("appreceipt_notifications_total{outcome=\"rejected\"} 3\n"))
            #expect(server.log.text.contains("Notification of an unknown kind accepted"))
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A server of several apps finds the app of a notification in every known and unknown subject")
    func subjectsOfSeveralApps() async throws {
        let app: AppStoreJSON = ["bundleId": "com.example.b", "environment": "Sandbox"]
        let subjects: [AppStoreJSON.Object] = [
            ["data": app], ["summary": app], ["appData": app], ["unclaimInfo": app], ["groupData": app],
            ["externalPurchaseToken": ["externalPurchaseId": "SANDBOX_1", "bundleId": "com.example.b"]],
            ["bundleId": "com.example.b", "environment": "Sandbox"],
        ]
        try await TestServer.with {
            $0.bundleIdentifiers = ["com.example.a", "com.example.b"]
        } _: { server async throws in
            for subject in subjects {
                let token = try TestNotification(type: .test).with {
                    $0.overrides = ["data": .null]
                    for member in subject.members { $0.overrides[member.name] = member.value }
                }.signed()
                let body: AppStoreJSON = ["signedPayload": .string(token)]
                #expect(try await server.post("/v1/notifications", body).status == 200, "\(subject)")
            }
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Given up seats get 200 and are recorded, with and without other data")
    func unclaimedSeats() async throws {
        let seats: AppStoreJSON = ["unclaimSeatIds": ["6F9619FF-8B86-4011-B42D-00CF4FC964FF"]]
        try await TestServer.with {
            $0.bundleIdentifiers = ["com.example.app"]
        } _: { server async throws in
            for number in 0..<2 {
                let token = try TestNotification(type: .unclaimSeats).with {
                    $0.notificationUUID = "00000000-0000-4000-8000-00000000000\(number)"
                    $0.overrides["unclaimInfo"] = seats
                    if number == 1 { $0.overrides["data"] = .null }
                }.signed()
                let body = AppStoreJSON.object(["signedPayload": .string(token)]).text()
                #expect(try await server.post("/v1/notifications", Array(body)).status == 200)
            }
            #expect(
                try await server.get("/metrics").text.contains(
                    "appreceipt_notifications_total{outcome=\"new\"} 2\n"))
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A version 1 notification gets 400 with the setting to change, and a byte order mark is ignored")
    func version1() async throws {
        let body = #"{"notification_type": "DID_RENEW", "bid": "com.example.app", "unified_receipt": {"status": 0}}"#
        try await TestServer.with { server async throws in
            let answer = try await server.post("/v1/notifications", Array(body.utf8))
            #expect(answer.status == 400)
            #expect(answer.json["failure"]?["code"] == "notification-version-1")
            #expect(answer.json["failure"]?["remedy"]?.string?.contains("version 2") == true)
            let token = try TestNotification().signed()
            let marked = "\u{FEFF}{\"signedPayload\": \"\(token)\"}"
            #expect(try await server.post("/v1/notifications", Array(marked.utf8)).status == 200)
            let receipt = Data(try TestReceipt().signed()).base64EncodedString()
            let request = "\u{FEFF}{\"receipt\": \"\(receipt)\"}"
            let validated = try await server.post("/v1/receipts/validate", Array(request.utf8))
            #expect(validated.json["verdict"] == "valid")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A repeated notification gets 200, and a newer refund in it is recorded")
    func repeatedWithRefund() async throws {
        let body = request(try receipt())
        let uuid = "00000000-0000-4000-8000-0000000000AA"
        let first = try notification(.didRenew, period("100", start, signed: renewed), uuid: uuid)
        let again = try notification(
            .refund, period("100", start, signed: renewed + 3600).with { $0.revocationDate = renewed }, uuid: uuid)
        try await TestServer.with { server async throws in
            #expect(try await server.post("/v1/notifications?report=true", first).json["repeated"] == false)
            let before = try await server.post("/sandbox/verifyReceipt", body)
            #expect(before.json["latest_receipt_info"]?[0]?["cancellation_date"] == nil)
            let repeated = try await server.post("/v1/notifications?report=true", again)
            #expect(repeated.status == 200)
            #expect(repeated.json["recorded"] == true)
            #expect(repeated.json["repeated"] == true)
            let after = try await server.post("/sandbox/verifyReceipt", body)
            #expect(after.json["latest_receipt_info"]?[0]?["cancellation_date_ms"]?.string == "1722506400000")
            #expect(after.json["receipt"]?["in_app"]?[0]?["cancellation_date_ms"]?.string == "1722506400000")
            // An older copy that arrives later has no effect.
            #expect(try await server.post("/v1/notifications?report=true", first).json["repeated"] == true)
            #expect(
                try await server.post("/sandbox/verifyReceipt", body).json["latest_receipt_info"]?[0]?[
                    "cancellation_date_ms"] != nil)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A notification from Xcode is verified and not recorded")
    func xcodeNotification() async throws {
        let token = try TestNotification(type: .refund).with {
            $0.environment = .xcode
            $0.signedTransactionInfo = try period("100", start, signed: renewed).with {
                $0.environment = .xcode
                $0.revocationDate = renewed
            }.signedLikeXcode()
        }.signedLikeXcode()
        let body = request(try receipt())
        try await TestServer.with {
            $0.environments = [.sandbox, .xcode]
            if let certificate = try? TestPKI.xcodeTokens.der(),
                let trust = try? XcodeTrust(der: [certificate])
            {
                $0.xcode = trust
            }
        } _: { server async throws in
            for _ in 0..<2 {
                let answer = try await server.post("/v1/notifications?report=true", ["signedPayload": .string(token)])
                #expect(answer.status == 200)
                #expect(answer.json["verdict"]?.string == "valid")
                #expect(answer.json["recorded"] == false)
                #expect(answer.json["repeated"] == false)
            }
            #expect(server.metrics.text().contains(#"appreceipt_notifications_total{outcome="not-stored"} 2"#))
            let answer = try await server.post("/sandbox/verifyReceipt", body)
            #expect(answer.json["latest_receipt_info"]?[0]?["cancellation_date"] == nil)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A repeated notification is recorded once, and gets 200 both times")
    func repeatedNotifications() async throws {
        let notified = try notification(.didRenew, period("101", renewed, signed: renewed))
        try await TestServer.with { server async throws in
            #expect(try await server.post("/v1/notifications?report=true", notified).json["repeated"] == false)
            let again = try await server.post("/v1/notifications?report=true", notified)
            #expect(again.status == 200)
            #expect(again.json["repeated"] == true)
            #expect(server.metrics.text().contains(#"appreceipt_notifications_total{outcome="repeated"} 1"#))
            // Anyone who has seen one may send it again.
            _ = try await server.post("/v1/notifications", notified)
            let logged = server.log.text.split(separator: "\n").filter { $0.contains("Notification accepted") }
            #expect(logged.count { $0.contains("new") } == 1)
            #expect(logged.count { $0.contains("repeated") } == 1)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Notifications don't require the server's token, and forged ones are rejected and not recorded")
    func forgedNotifications() async throws {
        // Signed under a PKI without Apple's markers.
        let token = try TestNotification(type: .test).signed(by: .elliptic)
        let genuine = try notification(.didRenew, period("101", renewed, signed: renewed))
        try await TestServer.with {
            $0.tokens = [AccessToken(SharedSecret("token"))]
        } _: { server async throws in
            let answer = try await server.post("/v1/notifications", ["signedPayload": .string(token)])
            #expect(answer.status == 400)
            #expect(answer.json["failure"]?["code"]?.string == "token-signature-malformed")
            #expect(answer.json.object?.members.map(\.name) == ["verdict", "failure", "recorded"])
            #expect(answer.json["recorded"] == false)
            #expect(try await server.post("/v1/notifications", ["signedPayload": 1]).status == 400)
            #expect(try await server.post("/v1/notifications?report=true", genuine).status == 401)
            let accepted = try await server.post("/v1/notifications", genuine)
            #expect(accepted.status == 200)
            #expect(accepted.json == [:])
            let report = try await server.post(
                "/v1/notifications?report=true", genuine, headers: ["Authorization": "Bearer token"])
            #expect(report.json["verdict"] == "valid")
            #expect(report.json["repeated"] == true)
            #expect(server.log.text.contains("Notification accepted"))
            let metrics = server.metrics.text()
            #expect(metrics.contains(#"appreceipt_notification_types_total{type="DID_RENEW"} 2"#))
            #expect(metrics.contains("\nappreceipt_last_notification_timestamp_seconds "))
            #expect(metrics.contains(#"appreceipt_build_info{version="unknown"} 1"#))
            #expect(metrics.contains("\nprocess_start_time_seconds "))
            #expect(answer.headers["x-request-id"]?.isEmpty == false)
            #expect(answer.headers["x-request-id"] != accepted.headers["x-request-id"])
        }
        try await TestServer.with {
            $0.bundleIdentifiers = ["com.example.other"]
        } _: { server async throws in
            let answer = try await server.post("/v1/notifications?report=true", genuine)
            #expect(answer.json["failure"]?["code"]?.string == "bundle-identifier-mismatch")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A verified transaction is recorded, and reported if another account submits it")
    func transactionsAreRecorded() async throws {
        let body = request(try receipt())
        let token = try period("101", renewed, signed: renewed).signed()
        try await TestServer.with { server async throws in
            let alice = try await server.post(
                "/v1/signed-data/verify", Array(token.utf8), headers: ["X-Account": "alice"])
            #expect(alice.json["replays"] == [])
            let mallory = try await server.post("/sandbox/verifyReceipt", body, headers: ["X-Account": "mallory"])
            #expect(mallory.headers["x-replay"] == "1")
            #expect(mallory.json["latest_receipt_info"]?.array?.count == 2)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("On a server of several apps, renewal information belongs to an app only if the request names it")
    func renewalsOfSeveralApps() async throws {
        let renewal = try TestRenewalInfo("com.example.monthly", original: "100").signed()
        let period = try period("100", start, signed: renewed).with { $0.bundleIdentifier = "com.example.Kite" }
            .signed()
        let verify = "/v1/signed-data/verify"
        try await TestServer.with {
            $0.bundleIdentifiers = ["com.example.Kite", "com.example.b"]
        } _: { server async throws in
            func willRenew() async throws -> AppStoreJSON? {
                try await server.post(verify, ["token": .string(period)]).json["products"]?[0]?["willRenew"]
            }
            #expect(try await server.post(verify, ["token": .string(renewal)]).json["verdict"] == "valid")
            // KELVIN SIGN is canonically equivalent to K.
            let lookalike: AppStoreJSON = ["token": .string(renewal), "bundle-id": "com.example.\u{212A}ite"]
            #expect(try await server.post(verify, lookalike).status == 400)
            #expect(try await willRenew() == .null)
            let named: AppStoreJSON = ["token": .string(renewal), "bundle-id": "com.example.Kite"]
            #expect(try await server.post(verify, named).json["verdict"] == "valid")
            #expect(try await willRenew() == true)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("On a server of several apps, a token with a malformed header is compared with the app that it claims")
    func claimedAppOfMalformedToken() async throws {
        var token = try TestToken(
            TestTransaction("com.example.pro", transaction: "7").with { $0.bundleIdentifier = "com.example.b" }.members)
        token.header["alg"] = "RS256"
        let text = try token.encoded()
        try await TestServer.with {
            $0.bundleIdentifiers = ["com.example.a", "com.example.b"]
        } _: { server async throws in
            let report = try await server.post("/v1/signed-data/verify", ["token": .string(text)])
            #expect(report.json["failure"]?["code"] == "token-algorithm-unsupported")
            let check = report.json["checks"]?.array?.first { $0["name"] == "bundle-identifier" }
            #expect(check?["outcome"] == "passed")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A request can't replace the configured App Store identifier")
    func appAppleIdentifier() async throws {
        let token = try TestTransaction("com.example.pro", transaction: "7").signed()
        try await TestServer.with {
            $0.bundleIdentifiers = ["com.example.app"]
            $0.apps[0].appAppleIdentifier = 1
        } _: { server async throws in
            let path = "/v1/signed-data/verify?app-apple-id="
            #expect(try await server.post(path + "1", Array(token.utf8)).status == 200)
            let other = try await server.post(path + "2", Array(token.utf8))
            #expect(other.status == 400)
            #expect(other.json["error"]?["code"] == "bundle-not-served")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The products of signed data include the stored evidence")
    func products() async throws {
        let token = try TestTransaction("com.example.pro", transaction: "7").signed()
        let renewal = try TestRenewalInfo("com.example.monthly", original: "100").signed()
        let refunded = TestTransaction("com.example.pro", transaction: "7").with {
            $0.signedDate = renewed
            $0.revocationDate = renewed
        }
        let notified = try TestNotification(type: .refund).with {
            $0.signedDate = renewed
            $0.signedTransactionInfo = try refunded.signed()
        }.signed()
        try await TestServer.with { server async throws in
            func products(_ path: String, _ body: AppStoreJSON) async throws -> [AppStoreJSON] {
                let report = try await server.post(path, body).json
                #expect(report["verdict"] == "valid")
                return report["products"]?.array?.compactMap { $0["state"] } ?? []
            }
            let verify = "/v1/signed-data/verify"
            #expect(try await products(verify, ["token": .string(token)]) == ["owned"])
            #expect(
                try await products("/v1/notifications?report=true", ["signedPayload": .string(notified)]) == [
                    "refunded"
                ])
            #expect(try await products(verify, ["token": .string(token)]) == ["refunded"])
            // Renewal information proves no purchase until a transaction of its original is stored.
            let asked: AppStoreJSON = ["token": .string(renewal), "bundle-id": "com.example.app"]
            #expect(try await products(verify, asked).isEmpty)
            let period = try period("100", start, signed: renewed).signed()
            #expect(try await products(verify, ["token": .string(period)]).count == 1)
            #expect(try await products(verify, asked).count == 1)
            #expect(try await products(verify, ["token": .string(renewal)]).isEmpty)
            let invalid = try await server.post(verify, ["token": .string(token), "bundle-id": "com.example.other"])
            #expect(invalid.json["verdict"] == "invalid")
            #expect(invalid.json["products"] == [])
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A token is found in every form, as the body and in a member")
    func forms() async throws {
        let token = try TestTransaction("com.example.pro", transaction: "7").signed()
        let response = #"{"environment": "Sandbox", "signedTransactionInfo": "\#(token)"}"#
        try await TestServer.with { server async throws in
            for text in ["\"\(token)\"", "Bearer \(token)", " \(token)\r\n", response] {
                let member = try await server.post("/v1/signed-data/verify", ["token": .string(text)])
                #expect(member.json["verdict"] == "valid", "\(text.prefix(20))")
                let body = try await server.post(
                    "/v1/signed-data/verify", Array(text.utf8), headers: ["Content-Type": "application/octet-stream"])
                #expect(body.json["verdict"] == "valid", "\(text.prefix(20))")
            }
            let utf16 = Array(try #require(token.data(using: .utf16)))
            #expect(try await server.post("/v1/signed-data/verify", utf16).json["verdict"] == "valid")
            let several = AppStoreJSON.string(#"{"signedTransactions": ["\#(token)", "\#(token)"]}"#)
            let answer = try await server.post("/v1/signed-data/verify", ["token": several])
            #expect(answer.status == 400)
            #expect(answer.errorCode == "content-ambiguous")
        }
    }
}
#endif
