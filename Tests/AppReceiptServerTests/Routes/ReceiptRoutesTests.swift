#if Server
import VerifyReceipt
import AppReceiptServer
import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

@Suite struct ReceiptRoutesTests {
    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    @Test("validate gives the report that the library gives, for bytes and for JSON")
    func validateGivesTheReport() async throws {
        let bytes = try TestReceipt().signed()
        let expectations = Expectations(bundleIdentifier: "com.example.app", environments: [.sandbox])
        let verifier = ReceiptVerifier(anchors: try TestPKI.standard.anchors)
        let report = verifier.report(bytes, expecting: expectations)
        let expected = try ReceiptJSON.text(report, attributes: false, isPretty: false)
        let withRaw = try ReceiptJSON.text(report, attributes: true, isPretty: false)
        try await RunningServer.with { server async throws in
            let query = "?bundle-id=com.example.app&environment=sandbox"
            let binary = try await server.post("/v1/receipts/validate" + query, bytes)
            #expect(binary.status == 200)
            #expect(binary.text == expected)
            let base64 = Data(bytes).base64EncodedString()
            let json = try await server.post(
                "/v1/receipts/validate",
                ["receipt": .string(base64), "bundle-id": "com.example.app", "environment": ["sandbox"]])
            let ofText = verifier.report(Array(base64.utf8), expecting: expectations)
            #expect(json.text == (try ReceiptJSON.text(ofText, attributes: false, isPretty: false)))
            #expect(try await server.post("/v1/receipts/validate" + query + "&raw", bytes).text == withRaw)
        }
    }

    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    @Test("A receipt that fails is answered with 200 and the check that failed")
    func failures() async throws {
        try await RunningServer.with { server async throws in
            let forged = try await server.post("/v1/receipts/validate", try TestReceipt().signed(by: .impostor))
            #expect(forged.status == 200)
            #expect(forged.json["verdict"]?.string == "invalid")
            #expect(forged.json["failure"]?["code"]?.string == "intermediate-signature-invalid")
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

    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    @Test("inspect says what the bytes say and that nothing was verified")
    func inspect() async throws {
        let bytes = try TestReceipt().signed(by: .impostor)
        try await RunningServer.with { server async throws in
            let answer = try await server.post("/v1/receipts/inspect?certificates&raw=false", bytes)
            #expect(answer.json["verified"] == false)
            #expect(answer.json["bundleIdentifier"]?.string == "com.example.app")
            #expect(answer.json["certificates"]?.array?.count == 3)
            #expect(answer.json["attributes"] == nil)
            let raw = try await server.post("/v1/receipts/inspect?raw", bytes)
            #expect(raw.json["attributes"]?.array?.isEmpty == false)
            let nothing = try await server.post("/v1/receipts/inspect", Array("hello".utf8))
            #expect(nothing.status == 200)
            #expect(nothing.json["failure"]?["code"]?.string == "input-unrecognised")
        }
    }

    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    @Test(
        "A request that is wrong gets 400 and says how",
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
        ])
    func wrongRequests(path: String, body: String, code: String) async throws {
        try await RunningServer.with { server async throws in
            let answer = try await server.post(path, Array(body.utf8))
            #expect(answer.status == 400)
            #expect(answer.errorCode == code)
        }
    }

    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
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
        try await RunningServer.with { server async throws in
            let answer = try await server.post("/v1/" + path, Array(#"{"\#(content)":"M",\#(option)}"#.utf8))
            #expect(answer.status == 400)
            #expect(answer.errorCode == "option-conflict")
        }
    }

    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
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
        try await RunningServer.with { server async throws in
            let answer = try await server.post("/v1/" + path, Array(#"{"\#(content)":"M",\#(options)}"#.utf8))
            #expect(answer.status == 200)
            #expect(answer.json["verdict"]?.string == "invalid")
        }
    }

    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    @Test("A sandbox receipt isn't valid where the query expects production, whatever the body asks for")
    func bodyDoesNotWiden() async throws {
        let receipt = Data(try TestReceipt().signed()).base64EncodedString()
        try await RunningServer.with { server async throws in
            for option in [JSONValue.string("sandbox"), ["sandbox", "production"], .null] {
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

    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    @Test("A server of certain apps answers for these and no others")
    func servedBundles() async throws {
        try await RunningServer.with {
            $0.bundleIdentifiers = ["com.example.app", "com.example.b"]
        } _: { server async throws in
            let own = try await server.post("/v1/receipts/validate", try TestReceipt().signed())
            #expect(own.json["verdict"]?.string == "valid")
            let foreign = try await server.post(
                "/v1/receipts/validate", try TestReceipt(bundleIdentifier: "com.example.z").signed())
            #expect(foreign.json["failure"]?["code"]?.string == "bundle-identifier-mismatch")
            let asked = try await server.post(
                "/v1/receipts/validate?bundle-id=com.example.z", try TestReceipt().signed())
            #expect(asked.errorCode == "bundle-not-served")
        }
    }

    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    @Test("With an account the answer names what was presented for another one before")
    func replays() async throws {
        let receipt = try TestReceipt().with {
            $0.purchases = [TestPurchase("com.example.pro", transaction: "77", at: $0.creationDate)]
        }.signed()
        try await RunningServer.with { server async throws in
            #expect(try await server.post("/v1/receipts/validate", receipt).json["replays"] == nil)
            let alice = try await server.post("/v1/receipts/validate", receipt, headers: ["X-Account": "alice"])
            #expect(alice.json["replays"] == [])
            let mallory = try await server.post("/v1/receipts/validate", receipt, headers: ["X-Account": "mallory"])
            #expect(mallory.json["replays"] == ["77"])
            #expect(mallory.json["verdict"]?.string == "valid")
        }
    }
}
#endif
