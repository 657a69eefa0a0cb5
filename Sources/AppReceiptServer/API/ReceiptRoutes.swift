#if Server
import AppReceiptKit
import AppStoreSignedData
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
@available(AppReceiptServer 1.0, *)
struct ReceiptRoutes: Sendable {
    let core: ServerCore

    static let validateOptions: Set = [
        "bundle-id", "app-version", "original-app-version", "environment", "device-id", "raw",
    ]
    static let inspectOptions: Set = ["raw", "certificates"]

    var endpoints: [Endpoint] {
        [
            .post("/v1/receipts/validate") { request, context in
                try await core.withVerificationSlotForAPI(request) { try await validate(request, context, $0) }
            },
            .post("/v1/receipts/inspect") { request, _ in
                try await core.withVerificationSlotForAPI(request) { try inspect(request, $0) }
            },
        ]
    }

    private func validate(_ request: Request, _ context: ServerContext, _ body: CollectedBody) async throws -> Response
    {
        let question = try ValidationRequest(request, body, content: ["receipt"], options: Self.validateOptions)
        let account = try core.account(request)
        let expectations = try expectations(question)
        let isRaw = try question.flag("raw")
        let now = Date()
        let report = core.receipts.report(question.content, expecting: expectations, now: now)
        core.metrics.verdict(kind: "receipt", code: report.failure?.code.rawValue)
        var answer = ValidationAnswer(report: report, replays: account == nil ? nil : [])
        if let verified = try? report.result.get() {
            let ledger = try await core.ledger(of: verified, context)
            answer.entitlements = Entitlements(ledger, verified.environment, at: now)
            answer.revoked = ledger.revoked(among: verified.evidence.purchases)
            if core.servesHistory(of: verified.environment) {
                let recorded = try await core.recordingForAPI(context) { () throws(StoreError) in
                    try await core.store.record(verified, account: account)
                }
                core.report(recorded, context)
                if account != nil { answer.replays = recorded.replays.map(\.originalTransactionIdentifier) }
            }
        }
        let text = try ReceiptJSON.text(answer, attributes: isRaw, isPretty: false)
        return Response(jsonBytes: Array(text.utf8))
    }

    private func inspect(_ request: Request, _ body: CollectedBody) throws -> Response {
        let question = try ValidationRequest(request, body, content: ["receipt"], options: Self.inspectOptions)
        let report = UnverifiedReport(
            Result<[UInt8], ReceiptError>.success(question.content), certificates: try question.flag("certificates"))
        let text = try ReceiptJSON.text(report, attributes: try question.flag("raw"), isPretty: false)
        return Response(jsonBytes: Array(text.utf8))
    }

    /// The request's expectations, within what the server serves.
    private func expectations(_ question: ValidationRequest) throws(APIError) -> Expectations {
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

/// The report on a receipt, with what the server knows beyond it.
private struct ValidationAnswer: Encodable {
    let report: ReceiptReport
    /// What the customer owns, by the receipt and by what the server knows; nil if the receipt isn't valid.
    var entitlements: Entitlements?
    /// The receipt's transactions that were refunded or revoked.
    var revoked: [Purchase] = []
    /// The original transactions that belong to another account; nil if the request names no account.
    var replays: [String]?

    private enum CodingKeys: String, CodingKey { case revoked, replays }

    func encode(to encoder: any Encoder) throws {
        try report.encode(to: encoder, entitlements: entitlements)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(revoked.map { RevokedTransaction($0) }, forKey: .revoked)
        try container.encodeIfPresent(replays, forKey: .replays)
    }
}

/// A transaction that was refunded or revoked.
private struct RevokedTransaction: Encodable {
    private let transactionIdentifier: String?
    private let productIdentifier: String?
    private let revocationDate: String?

    init(_ purchase: Purchase) {
        transactionIdentifier = purchase.transactionIdentifier
        productIdentifier = purchase.productIdentifier
        revocationDate = purchase.cancellationDate.map(ReceiptDate.string(from:))
    }

    private enum CodingKeys: String, CodingKey { case transactionIdentifier, productIdentifier, revocationDate }

    /// Encodes every member, absent values as null.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(transactionIdentifier, forKey: .transactionIdentifier)
        try container.encode(productIdentifier, forKey: .productIdentifier)
        try container.encode(revocationDate, forKey: .revocationDate)
    }
}
#endif
