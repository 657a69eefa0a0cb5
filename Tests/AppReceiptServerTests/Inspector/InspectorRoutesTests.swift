#if Server
import AppReceiptSupport
import AppReceiptKit
import AppReceiptServer
import AppReceiptTesting
import Foundation
import Testing

@Suite("InspectorRoutes")
struct InspectorRoutesTests {
    private static let path = "/v1/inspector/examine"

    @available(AppReceiptServer 1.0, *)
    @Test(
        "A malformed request is an error with a code and a message",
        arguments: [
            ("", "body-malformed"), ("[]", "body-malformed"), ("{", "body-malformed"), ("{}", "content-missing"),
            (#"{"input": "AAAA", "sample": "xcode"}"#, "content-mistyped"),
            (#"{"input": "AAAA", "input": "AAAA"}"#, "body-malformed"),
            (#"{"input": "*"}"#, "content-malformed"),
            (#"{"input": ""}"#, "content-missing"),
            (#"{"input": 7}"#, "content-mistyped"),
            (#"{"input": null}"#, "content-mistyped"),
            (#"{"input": "AAAA", "bundleIdentifier": "x"}"#, "option-unknown"),
            (#"{"input": "AAAA", "bundle-id": 7}"#, "option-mistyped"),
            (#"{"input": "AAAA", "bundle-id": ""}"#, "option-malformed"),
            (#"{"input": "AAAA", "environment": "Production"}"#, "option-malformed"),
            (#"{"input": "AAAA", "environment": [1]}"#, "option-mistyped"),
            (#"{"input": "AAAA", "environment": []}"#, "option-malformed"),
            (#"{"input": "AAAA", "complete": "yes"}"#, "option-mistyped"),
            (#"{"input": "AAAA", "device-id": ["x"]}"#, "option-malformed"),
            (#"{"input": "AAAA", "device-id": []}"#, "option-malformed"),
        ])
    func malformedRequests(body: String, code: String) async throws {
        try await TestServer.with { server async throws in
            let answer = try await server.post(
                Self.path, Array(body.utf8), headers: ["Content-Type": "application/json"])
            #expect(answer.status == 400)
            #expect(answer.errorCode == code)
            #expect(answer.json["error"]?["message"]?.string?.isEmpty == false)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("An unknown sample is not found")
    func unknownSample() async throws {
        try await TestServer.with { server async throws in
            let answer = try await server.post(Self.path, ["sample": "../root"])
            #expect(answer.status == 404)
            #expect(answer.errorCode == "inspector-sample-unknown")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A request must be JSON and within the server's limit")
    func contentTypeAndSize() async throws {
        try await TestServer.with {
            $0.limits.maxBodyBytes = 200
        } _: { server async throws in
            let form = try await server.post(
                Self.path, Array(#"{"sample": "xcode"}"#.utf8), headers: ["Content-Type": "text/plain"])
            #expect(form.status == 415)
            #expect(form.errorCode == "content-type-unsupported")
            let large = try await server.post(
                Self.path, ["input": .string(Data(count: 200).base64EncodedString())])
            #expect(large.status == 413)
            #expect(large.errorCode == "body-too-large")
            let small = try await server.post(
                Self.path, ["input": .string(Data(count: 100).base64EncodedString())])
            #expect(small.json["verdict"] == "invalid")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The document for a receipt is returned, and the receipt is neither cached nor stored")
    func document() async throws {
        let receipt = try TestReceipt().with {
            $0.purchases = [TestPurchase("com.example.pro", transaction: "1", at: $0.creationDate)]
        }.signed()
        try await TestServer.with { server async throws in
            let answer = try await server.post(
                Self.path, ["input": .string(Data(receipt).base64EncodedString()), "environment": "sandbox"])
            #expect(answer.status == 200)
            #expect(answer.json["verdict"] == "valid")
            #expect(answer.headers["cache-control"] == "no-store")
            #expect(answer.headers["content-type"] == "application/json")
            #expect(try await server.get("/metrics").text.contains(#"appreceipt_state{what="receipts"} 0"#))
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The files of the page are served with their policy, and unchanged files get 304")
    func page() async throws {
        try await TestServer.with { server async throws in
            for path in ["/", "/inspector/inspector.js", "/inspector/inspector.css"] {
                let file = try await server.get(path)
                #expect(file.status == 200)
                #expect(!file.body.isEmpty)
                #expect(file.headers["content-security-policy"]?.contains("script-src 'self'") == true)
                let tag = try #require(file.headers["etag"])
                let again = try await server.get(path, headers: ["If-None-Match": tag])
                #expect(again.status == 304)
                #expect(again.body.isEmpty)
            }
        }
        try await TestServer.with {
            $0.servesInspector = false
        } _: { server async throws in
            #expect(try await server.get("/").status == 404)
            #expect(try await server.post(Self.path, ["sample": "xcode"]).status == 404)
        }
    }
}
#endif
