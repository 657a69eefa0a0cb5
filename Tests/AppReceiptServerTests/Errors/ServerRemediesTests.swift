#if Server
import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import TestSupport
import Testing
import VerifyReceipt

@testable import AppReceiptServer

@Suite("ServerRemedies")
struct ServerRemediesTests {
    /// Words of the Swift API and of the command line.
    private static let foreign = [
        "`", "Limits", "Verifier", "Bundle.", "Swift", ".any", "responder", "aise the limit", "appreceipt", " --",
    ]

    @Test("No remedy over HTTP names Swift API, the command line or limits that no setting changes")
    func remedies() {
        let codes = ReceiptError.Code.allCodes
        #expect(codes.count > 100)
        for code in codes {
            let remedy = ServerRemedies.remedy(for: code.rawValue, code.remedy)
            #expect(remedy.hasSuffix("."), "\(code)")
            for word in Self.foreign { #expect(!remedy.contains(word), "\(code): \(remedy)") }
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Every route that reports a failure returns the server's remedy and where the code is documented")
    func routes() async throws {
        let token = Array(try TestTransaction("com.example.pro", transaction: "1").signed().utf8)
        try await TestServer.with { server async throws in
            let receipt = try await server.post("/v1/receipts/validate", token)
            #expect(receipt.json["failure"]?["code"]?.string == "input-signed-data")
            let remedy = "Send signed data (JWS) to /v1/signed-data/verify."
            #expect(receipt.json["failure"]?["remedy"]?.string == remedy)
            #expect(receipt.json["failure"]?["documentation"]?.string == "docs/errors.md#input-signed-data")
            let inspected = try await server.post("/v1/receipts/inspect", token)
            #expect(inspected.json["failure"]?["remedy"]?.string == remedy)
            #expect(inspected.json["failure"]?["documentation"]?.string == "docs/errors.md#input-signed-data")
            let malformed = ServerRemedies.remedy(for: "token-malformed", "")
            for path in ["/v1/signed-data/verify", "/v1/notifications?report=true"] {
                let answer = try await server.post(path, ["signedPayload": "nonsense"])
                #expect(answer.json["failure"]?["code"]?.string == "token-malformed", "\(path)")
                #expect(answer.json["failure"]?["remedy"]?.string == malformed, "\(path)")
                #expect(
                    answer.json["failure"]?["documentation"]?.string == "docs/errors.md#token-malformed", "\(path)")
            }
            let input = Data(#"{"signedPayload": "nonsense"}"#.utf8).base64EncodedString()
            let examined = try await server.post("/v1/inspector/examine", ["input": .string(input)])
            #expect(examined.json["failure"]?["remedy"]?.string == malformed)
            #expect(examined.json["checks"]?[0]?["remedy"]?.string == malformed)
            #expect(
                examined.json["checks"]?.array?.map { $0["documentation"]?.string }.prefix(2)
                    == ["docs/errors.md#token-malformed", nil])
            #expect(examined.json["report"]?.string?.contains("Verifier") == false)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The inspector's response of verifyReceipt has the server's remedy")
    func verifyReceiptAnswer() async throws {
        try await TestServer.with { server async throws in
            let input = AppStoreJSON.string(Data(try TestReceipt().signed().prefix(40)).base64EncodedString())
            let answer = try await server.post("/v1/inspector/examine", ["input": input])
            let reason = try #require(answer.json["verifyReceipt"]?["reason"])
            let code = try #require(reason["code"]?.string)
            let remedy = try #require(reason["remedy"]?.string)
            #expect(remedy == ServerRemedies.remedy(for: code, remedy))
            #expect(reason["documentation"]?.string == "docs/errors.md#\(code)")
        }
    }
}
#endif
