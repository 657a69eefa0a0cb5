#if Server
import AppReceiptKit
import HTTPTypes
import Hummingbird
import Logging
import VerifyReceipt

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Receipts, validated or only looked at, as the command line does it.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
struct ReceiptRoutes: Sendable {
    let core: ServerCore

    static let validateOptions: Set = [
        "bundle-id", "app-version", "original-app-version", "environment", "device-id", "raw",
    ]
    static let inspectOptions: Set = ["raw", "certificates"]

    var endpoints: [Endpoint] {
        [
            .post("/v1/receipts/validate") { request, context in
                try await core.judgingForAPI(request) { try await validate(request, context, $0) }
            },
            .post("/v1/receipts/inspect") { request, _ in
                try await core.judgingForAPI(request) { try inspect(request, $0) }
            },
        ]
    }

    private func validate(_ request: Request, _ context: ServerContext, _ body: ReadBody) async throws -> Response {
        let question = try Question(request, body, content: ["receipt"], options: Self.validateOptions)
        let account = try core.account(request)
        let expectations = try expectations(question)
        let isRaw = try question.flag("raw")
        // One time for both looks at it: a volume purchase must not expire between them.
        let now = Date()
        let report = core.receipts.report(question.content, expecting: expectations, now: now)
        core.metrics.verdict(kind: "receipt", code: report.failure?.code.rawValue)
        var document = Judged(report: report, replays: nil)
        if let verified = try? report.result.get(), core.servesHistory(of: verified) {
            let known = try KnownReceipt(
                verifying: question.content, with: core.receipts, expecting: expectations, now: now)
            let recorded = try await core.recordingForAPI(context) { () throws(StoreError) in
                try await core.store.record(known, account: account)
            }
            core.report(recorded, context)
            if account != nil { document.replays = recorded.replays.map(\.originalTransactionIdentifier) }
        } else if account != nil {
            document.replays = []
        }
        let text = try ReceiptJSON.text(document, attributes: isRaw, isPretty: false)
        return Response(jsonBytes: Array(text.utf8))
    }

    private func inspect(_ request: Request, _ body: ReadBody) throws -> Response {
        let question = try Question(request, body, content: ["receipt"], options: Self.inspectOptions)
        let report = UnverifiedReport(
            Result<[UInt8], ReceiptError>.success(question.content), certificates: try question.flag("certificates"))
        let text = try ReceiptJSON.text(report, attributes: try question.flag("raw"), isPretty: false)
        return Response(jsonBytes: Array(text.utf8))
    }

    /// The request's expectations, within what the server serves.
    private func expectations(_ question: Question) throws(Refusal) -> Expectations {
        let devices = try question.list(
            "device-id", "a UUID, a MAC address, 12 or 32 hex digits, or base64 of 6 or 16 bytes"
        ) { try? DeviceIdentifier(text: $0) }
        let bundle = try core.bundle(requested: question.text("bundle-id")) {
            (try? AppReceipt(parsing: question.content))?.bundleIdentifier
        }
        return Expectations(
            bundleIdentifier: bundle.map { .identifier($0) } ?? .anyBundle,
            environments: .only(try core.environments(requested: question.environments())),
            appVersion: try question.text("app-version"),
            originalAppVersion: try question.text("original-app-version"),
            devices: devices.map { .oneOf($0) } ?? .anyDevice)
    }
}

/// A report as the command line gives it, and with an account the lines that were presented for another one before.
private struct Judged: Encodable {
    let report: ValidationReport
    var replays: [String]?

    private enum CodingKeys: String, CodingKey { case replays }

    func encode(to encoder: any Encoder) throws {
        try report.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(replays, forKey: .replays)
    }
}
#endif
