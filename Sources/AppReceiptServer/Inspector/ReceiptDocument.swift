#if Server
import AppReceiptKit
import VerifyReceipt
import AppReceiptSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The document on a receipt.
struct ReceiptDocument {
    let examiner: Examiner
    let input: InspectorInput
    /// The receipt in the form in which it was given.
    let source: ArraySlice<UInt8>

    /// Up to this size of a receipt its raw attributes and its verifyReceipt answer are in every document; of a larger one
    /// only if they are asked for, because they are many times as long.
    static let unabridgedBytes = 256 << 10

    private var isAbridged: Bool { !examiner.request.isComplete && (input.der?.count ?? 0) > Self.unabridgedBytes }

    func answer(after members: [(name: String, json: [UInt8])]) -> InspectorResponse {
        let report = examiner.receipts.report(source, expecting: examiner.request.expectations, now: examiner.now)
        let container = input.der.flatMap { try? ReceiptContainer(parsing: $0, limits: examiner.receipts.limits) }
        let isProven = report.checks.contains { $0.check == .signature && $0.outcome == .passed }
        var members = members
        func add(_ name: String, _ value: JSONValue) { members.append((name, value.text())) }
        add("kind", input.der == nil ? "unknown" : "receipt")
        add("verdict", .string(report.isValid ? "valid" : "invalid"))
        add("isProven", .boolean(isProven))
        add("isOfTestKit", .boolean(isOfTestKit(report)))
        add("environment", .text(report.provenEnvironment?.rawValue))
        add("statedEnvironment", .text(report.receipt?.environment?.rawValue))
        add("failure", failure(report))
        add("checks", .array(CheckEvidence(report, container, input, examiner).checks))
        add("certificates", .array(report.certificates.map(examiner.json)))
        add("validationDate", .date(report.validationDate))
        add("lines", .array(report.receipt.map(lines) ?? []))
        add("isAbridged", .boolean(isAbridged))
        members.append(("products", encoded(report.entitlements?.all ?? [])))
        members.append(("receipt", encoded(report.receipt)))
        add("verifyReceipt", isAbridged ? .null : verifyReceiptAnswer(report.receipt?.environment?.base))
        add(
            "swift", .string(SwiftSnippet(report: report, der: input.der, examiner.request, trust: examiner.trust).text)
        )
        add("der", .text(input.der.map { Data($0).base64EncodedString() }))
        return InspectorResponse(JSONDocument(members), code: report.failure?.code.rawValue)
    }

    /// A receipt of one transaction is none that could be examined check by check; what verifyReceipt answers says all.
    func answer(toTransactionReceiptAfter members: [(name: String, json: [UInt8])]) -> InspectorResponse {
        let report = examiner.receipts.report(source, expecting: examiner.request.expectations, now: examiner.now)
        var members = members
        func add(_ name: String, _ value: JSONValue) { members.append((name, value.text())) }
        add("kind", "transaction-receipt")
        add("verdict", "invalid")
        add("isProven", false)
        add("failure", failure(report))
        add("checks", .array(CheckEvidence(report, nil, input, examiner).checks))
        add("verifyReceipt", verifyReceiptAnswer(nil))
        let text = (try? Base64.decode(source)).map { $0[...] } ?? source
        add("text", .string(String(decoding: text.prefix(64 << 10), as: UTF8.self)))
        return InspectorResponse(JSONDocument(members), code: report.failure?.code.rawValue)
    }

    /// Whether the test kit's root signed what the configured roots did not. Its key is public, so this proves nothing:
    /// it only tells people why their receipt does not count here.
    private func isOfTestKit(_ report: ValidationReport) -> Bool {
        guard examiner.trust != .sample, report.failure?.code == .rootNotTrusted else { return false }
        return InspectorSample.receipts.report(source, expecting: examiner.request.expectations, now: examiner.now)
            .checks.contains { $0.check == .signature && $0.outcome == .passed }
    }

    private func failure(_ report: ValidationReport) -> JSONValue {
        guard let finding = report.firstFailure else { return .null }
        return [
            "check": .string(finding.check.rawValue), "code": .text(finding.code),
            "message": .string(finding.message), "remedy": .text(finding.remedy),
        ]
    }

    /// A value as the command line writes it.
    private func encoded(_ value: (some Encodable)?) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.userInfo[.omitsReceiptAttributes] = isAbridged
        guard let value, let data = try? encoder.encode(value) else { return JSONValue.null.text() }
        return Array(data)
    }

    /// The subscriptions in time, as the bytes claim them.
    private func lines(_ receipt: AppReceipt) -> [JSONValue] {
        let claimed = PurchaseLedger(
            environment: receipt.environment?.base,
            receipts: [
                .init(
                    creationDate: receipt.creationDate ?? .distantPast,
                    purchases: receipt.purchases.map { Purchase($0) })
            ])
        return claimed.subscriptions.map { subscription in
            [
                "original": .string(subscription.original),
                "isActive": .boolean(subscription.periods.contains { $0.isActive(at: examiner.now) }),
                "periods": .array(subscription.periods.map(json)),
            ]
        }
    }

    private func json(_ period: Subscription.Period) -> JSONValue {
        let purchase = period.purchase
        return [
            "start": .date(period.start), "end": .date(period.accessEnd), "expiration": .date(period.expiration),
            "product": .text(period.product), "transaction": .text(purchase?.transactionIdentifier),
            "isTrial": .boolean(purchase?.isTrialPeriod == true),
            "isIntroductory": .boolean(purchase?.isInIntroductoryOfferPeriod == true),
            "offer": .text(purchase?.promotionalOfferIdentifier), "canceled": .date(purchase?.cancellationDate),
        ]
    }

    /// What an endpoint that answers both environments would say; Xcode's receipts only ever have the sandbox's answer.
    private func verifyReceiptAnswer(_ environment: ReceiptEnvironment.Base?) -> JSONValue {
        let responder = VerifyReceiptResponder(
            verifier: examiner.receipts, environments: environment == .xcode ? .sandbox : .both,
            transactionReceipts: examiner.transactionReceipts)
        let data =
            input.der.map { Data($0).base64EncodedString() } ?? String(decoding: source.prefix(1 << 20), as: UTF8.self)
        let answer = responder.answer(
            VerifyReceiptRequest(receiptData: data, excludesOldTransactions: input.excludesOldTransactions),
            now: examiner.now)
        let reason: JSONValue =
            answer.failure.map { failure in
                [
                    "code": .string(failure.code.rawValue), "message": .string(failure.message),
                    "remedy": .string(failure.remedy),
                ]
            } ?? .null
        // As text: its numbers have more digits than a script can hold.
        return [
            "status": .number(JSONNumber(answer.status.rawValue)), "reason": reason,
            "text": .string(String(decoding: answer.json.text(isPretty: true), as: UTF8.self)),
        ]
    }
}
#endif
