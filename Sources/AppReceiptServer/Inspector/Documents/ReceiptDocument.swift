#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppStoreSignedData
import VerifyReceipt
import AppReceiptSupport

/// The inspector's document for a receipt.
struct ReceiptDocument {
    let inspection: Inspection
    let input: InspectorInput
    /// The receipt, in the format of the input.
    let source: ArraySlice<UInt8>

    /// The maximum size of a receipt whose raw attributes and verifyReceipt response are in every document. They are
    /// several times as long as the receipt, so those of larger receipts are included only on request.
    static let maxUnabridgedBytes = 256 << 10

    private var isAbridged: Bool {
        !inspection.request.isComplete && (input.containerBytes?.count ?? 0) > Self.maxUnabridgedBytes
    }

    /// Adds the members of a receipt to the document.
    func response(extending document: JSONDocument) throws -> InspectorResponse {
        let report = inspection.receipts.report(
            source, expecting: inspection.request.expectations, now: inspection.now
        ).withServerRemedies
        let container = input.containerBytes.flatMap {
            try? ReceiptContainer(parsing: $0, limits: inspection.receipts.limits)
        }
        var document = document
        document.add("kind", input.containerBytes == nil ? "unknown" : "receipt")
        document.add("isOfTestKit", .boolean(isOfTestKit(report)))
        document.add("statedEnvironment", .text(report.receipt?.environment?.rawValue))
        inspection.add(report, to: &document)
        document.add(
            "checks", .array(CheckFacts(report, container: container, input: input, inspection: inspection).checks))
        document.add("isAbridged", .boolean(isAbridged))
        if let receipt = report.receipt {
            document.add(receipt: receipt, attributes: !isAbridged)
        } else {
            document.add("receipt", .null)
        }
        document.add("verifyReceipt", isAbridged ? .null : verifyReceiptResponse(report))
        let snippet = SwiftSnippet(
            report: report, der: input.containerBytes, inspection.request,
            trust: inspection.trust(of: report.certificates))
        document.add("swift", .string(snippet.text))
        document.add("der", .text(input.containerBytes.map { Data($0).base64EncodedString() }))
        return InspectorResponse(
            document: document, failure: report.failure,
            proof: (try? report.result.get()).map { receipt in
                InspectorResponse.Proof(
                    evidence: CustomerEvidence(receipts: [receipt]), app: receipt.bundleIdentifier,
                    environment: receipt.environment)
            }, products: report.entitlements?.all ?? [], now: inspection.now,
            subscriptions: report.receipt.map(subscriptions) ?? [],
            namedTransactions: report.isValid
                ? [] : report.receipt?.purchases.compactMap { AppStoreTransaction($0).original } ?? [])
    }

    /// Returns whether the receipt was signed under the test kit's root and not under a configured root. The key is
    /// public, so this proves nothing, but it explains why the receipt isn't valid.
    private func isOfTestKit(_ report: ReceiptReport) -> Bool {
        guard !inspection.isSample, report.failure?.code == .rootNotTrusted else { return false }
        // Nothing is verified twice: no signature was verified before, because no trusted root matched.
        return InspectorSample.receipts.report(source, expecting: inspection.request.expectations, now: inspection.now)
            .isSigned
    }

    /// Returns the claimed subscriptions and their periods.
    private func subscriptions(_ receipt: AppReceipt) -> [AppStoreJSON] {
        let claimed = PurchaseLedger(
            environment: receipt.environment?.base,
            receipts: [
                .init(
                    creationDate: receipt.creationDate ?? .distantPast,
                    transactions: receipt.purchases.map { AppStoreTransaction($0) })
            ])
        return Inspection.json(claimed.subscriptions, now: inspection.now)
    }

    /// Returns the response of an endpoint for both environments. Receipts from Xcode get the sandbox's.
    private func verifyReceiptResponse(_ report: ReceiptReport) -> AppStoreJSON {
        let environment = report.receipt?.environment?.base
        let responder = VerifyReceiptResponder(
            verifier: inspection.receipts, environments: environment == .xcode ? .sandbox : .both)
        let request = VerifyReceiptRequest(
            receiptData: input.containerBytes == nil ? String(decoding: source.prefix(1 << 20), as: UTF8.self) : "",
            excludesOldTransactions: input.evidence.excludesOldTransactions)
        // The report has verified an app receipt already. The responder recognizes other data.
        let response =
            input.containerBytes == nil
            ? responder.response(to: request, now: inspection.now)
            : responder.responseWithoutSecret(
                to: request, receipt: report.authenticatedResult.map { .app($0) }, now: inspection.now)
        return response.inspectorJSON
    }
}
#endif
