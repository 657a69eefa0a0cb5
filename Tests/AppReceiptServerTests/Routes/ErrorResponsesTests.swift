#if Server
import AppReceiptKit
import AppReceiptStore
import AppReceiptSupport
import HTTPTypes
import Hummingbird
import NIOCore
import Testing

@testable import AppReceiptServer

@Suite("ErrorResponses")
struct ErrorResponsesTests {
    private let log = CapturedLog()

    @available(AppReceiptServer 1.0, *)
    private func response(
        _ error: any Error, path: String = "/v1/receipts/validate", counting registry: PrometheusRegistry = .init()
    ) -> Response {
        ErrorResponses(
            limits: ServerLimits(), metrics: ServerMetrics(registry), databaseFailures: DatabaseFailureLog(),
            rejections: RejectionLog()
        ).response(to: error, path: path, logger: log.logger)
    }

    @available(AppReceiptServer 1.0, *)
    @Test(
        "verifyReceipt responds to a body beyond the limit and to a store failure with its own statuses, and counts them",
        arguments: [
            (CollectedBody.TooLarge(), 413, "body-too-large", 21000, "request-too-large"),
            (StoreError.tooMuchEvidence, 500, "too-much-evidence", 21100, "state-unavailable"),
            (StoreError.closed, 500, "state-unavailable", 21100, "state-unavailable"),
        ] as [(any Error, Int, String, Int64, String)])
    func groups(
        error: any Error, status: Int, code: String, verifyReceiptStatus: Int64, countedCode: String
    ) async throws {
        let api = response(error)
        #expect(api.status.code == status)
        let document = try AppStoreJSON(parsing: try await api.pieces().flatMap(\.self)[...])
        #expect(document["error"]?["code"]?.string == code)
        for path in ["/verifyReceipt", "/sandbox/verifyReceipt/"] {
            let registry = PrometheusRegistry()
            let response = response(error, path: path, counting: registry)
            #expect(response.status == .ok)
            let document = try AppStoreJSON(parsing: try await response.pieces().flatMap(\.self)[...])
            #expect(document["status"]?.number?.int64 == verifyReceiptStatus)
            let series =
                #"appreceipt_verify_receipt_responses_total{code="\#(countedCode)",status="\#(verifyReceiptStatus)"} 1"#
            #expect(registry.text().contains(series))
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The validator responds with 200 and its own codes, except to a request of another site or method")
    func validator() async throws {
        for (error, code) in [
            (APIError.badRequest(.bundleNotServed, "…"), 6_778_001), (CollectedBody.TooLarge(), 6_778_001),
            (StoreError.closed, 6_778_005), (OverloadError(.database), 6_778_005), (Unexpected(), 6_778_005),
            (ValidatorFailure(.needMoreData, "…"), 6_778_006),
        ] as [(any Error, Int64)] {
            for path in ["/v1/validator", "/v1/validator/"] {
                let response = response(error, path: path)
                #expect(response.status == .ok)
                let document = try AppStoreJSON(parsing: try await response.pieces().flatMap(\.self)[...])
                #expect(document["ok"] == false)
                #expect(document["code"]?.number?.int64 == code)
                #expect(document["data"]?["code"]?.number?.int64 == code)
            }
        }
        for (error, status) in [
            (APIError(.forbidden, .crossOrigin, "…"), 403),
            (APIError(.methodNotAllowed, .methodNotAllowed, "…"), 405), (HTTPError(.expectationFailed), 417),
        ] as [(any Error, Int)] {
            #expect(response(error, path: "/v1/validator").status.code == status)
        }
        #expect(log.text.contains("closed"))
        #expect(log.text.contains("Unexpected"))
    }

    private struct Unexpected: Error {}

    @available(AppReceiptServer 1.0, *)
    @Test("Errors have a status and a code")
    func statuses() async throws {
        for (error, status, code) in [
            (APIError.badRequest(.optionUnknown, "…"), 400, "option-unknown"),
            (OverloadError(.database), 503, "overloaded"), (CollectedBody.Broken(), 400, "body-broken"),
            (HTTPError(.notFound), 404, "not-found"), (HTTPError(.expectationFailed), 417, "http-error"),
        ] as [(any Error, Int, String)] {
            let response = response(error)
            #expect(response.status.code == status)
            #expect(response.headers[.contentType] == "application/json")
            let json = try AppStoreJSON(parsing: try await response.pieces().flatMap(\.self)[...])
            #expect(json["error"]?["code"]?.string == code)
            #expect(json["error"]?["documentation"]?.string == "docs/errors.md#\(code)")
        }
        #expect(log.text.isEmpty)
        #expect(response(OverloadError(.requests)).headers[.retryAfter] == "1")
        #expect(response(CollectedBody.Broken()).headers[.connection] == "close")
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The headers of an API error are in its response")
    func headers() {
        var error = APIError(.methodNotAllowed, .methodNotAllowed, "…")
        error.headers[.allow] = "GET"
        #expect(response(error).headers[.allow] == "GET")
    }

    @available(AppReceiptServer 1.0, *)
    @Test("An unknown error is logged by its type, without its contents")
    func internalError() {
        struct Failure: Error { let secret = "secret" }
        #expect(response(Failure()).status == .internalServerError)
        #expect(log.text.contains("Internal error"))
        #expect(log.text.contains("Failure"))
        #expect(!log.text.contains("secret"))
    }

    @available(AppReceiptServer 1.0, *)
    @Test(
        "Under overload, verifyReceipt returns a status that Apple's clients know, and every response has Retry-After")
    func overload() throws {
        var limits = ServerLimits()
        limits.retryAfter = .seconds(7)
        let errors = ErrorResponses(
            limits: limits, metrics: ServerMetrics(PrometheusRegistry()), databaseFailures: DatabaseFailureLog(),
            rejections: RejectionLog())
        for path in ["/verifyReceipt", "/sandbox/verifyReceipt", "/verifyReceipt/", "/verifyReceipt?x=/"] {
            #expect(
                String(decoding: errors.overloadResponse(path: path).body, as: UTF8.self)
                    == #"{"status":21005}"#)
        }
        for path in ["/v1/receipts/validate", "/", "", "/verifyReceipts"] {
            let overload = errors.overloadResponse(path: path)
            let json = try AppStoreJSON(parsing: overload.body[...])
            #expect(json["error"]?["code"]?.string == "overloaded")
            #expect(overload.headers[.retryAfter] == "7")
            #expect(overload.headers[.contentLength] == "\(overload.body.count)")
        }
    }
}
#endif
