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
        ])
    func wrongRequests(path: String, body: String, code: String) async throws {
        try await RunningServer.with { server async throws in
            let answer = try await server.post(path, Array(body.utf8))
            #expect(answer.status == 400)
            #expect(answer.errorCode == code)
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
