#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData
import VerifyReceipt

/// The inspector's document for a transaction receipt.
struct TransactionReceiptDocument {
    let inspection: Inspection
    let input: InspectorInput
    /// The property list.
    let list: ArraySlice<UInt8>

    /// Adds the members of a transaction receipt to the document: those of an app receipt, and its text.
    func response(extending document: JSONDocument) -> InspectorResponse {
        let report = inspection.receipts.reportTransactionReceipt(
            list, expecting: inspection.request.expectations, now: inspection.now
        ).withServerRemedies
        var document = document
        document.add("kind", .string(TransactionReceipt.kind))
        document.add("statedEnvironment", .text(report.contents?.environmentName))
        inspection.add(report, to: &document)
        document.add("checks", .array(report.checks.map { $0.json(facts: facts(about: $0.check, in: report)) }))
        document.add(
            "receipt",
            report.contents.map { receipt in AppStoreJSON { receipt.write(to: &$0, attributes: false) } } ?? .null)
        document.add("verifyReceipt", verifyReceiptResponse(report))
        document.add("text", .string(String(decoding: list.prefix(64 << 10), as: UTF8.self)))
        return InspectorResponse(
            document: document, failure: report.failure,
            proof: (try? report.result.get()).map { receipt in
                InspectorResponse.Proof(
                    evidence: CustomerEvidence(transactionReceipts: [receipt]), app: receipt.bundleIdentifier,
                    environment: receipt.environment)
            }, products: report.entitlements?.all ?? [], now: inspection.now,
            subscriptions: report.contents.map(subscriptions) ?? [],
            namedTransactions: report.isValid
                ? [] : [report.contents.flatMap { AppStoreTransaction($0.purchase).original }].compactMap { $0 })
    }

    private func subscriptions(_ receipt: TransactionReceipt) -> [AppStoreJSON] {
        let transaction = AppStoreTransaction(receipt.purchase)
        let claimed = PurchaseLedger(
            environment: receipt.environment, receipts: [],
            transactions: [TransactionEvidence(transaction, from: .receipt, signed: receipt.purchaseDate)])
        return Inspection.json(claimed.subscriptions, now: inspection.now)
    }

    private func facts(about check: ValidationCheck, in report: TransactionReceiptReport) -> [CheckFact] {
        guard let receipt = report.contents else { return [] }
        switch check {
        case .container:
            return [
                CheckFact(name: "Size", found: "\(list.count) bytes"),
                CheckFact(name: "Version of the signature", found: "\(receipt.signatureVersion)", expected: "2 or 3"),
            ]
        case .certificateChain:
            return ChainFacts(report, roots: inspection.roots).facts
        case .signature:
            return [CheckFact(name: "Signature", found: "RSA, SHA-1")]
        case .bundleIdentifier:
            return [inspection.bundleFact(found: receipt.bundleIdentifier)]
        case .environment:
            return [inspection.environmentFact(found: receipt.environmentName)]
        case .appVersion:
            return [
                CheckFact(
                    name: "Version", found: receipt.appVersion, expected: inspection.request.expectations.appVersion)
            ]
        default:
            return []
        }
    }

    /// Returns the response of an endpoint for both environments.
    private func verifyReceiptResponse(_ report: TransactionReceiptReport) -> AppStoreJSON {
        let request = VerifyReceiptRequest(receiptData: String(decoding: list, as: UTF8.self))
        return VerifyReceiptResponder(verifier: inspection.receipts, environments: .both)
            .responseWithoutSecret(
                to: request, receipt: report.authenticatedResult.map { .transaction($0) }, now: inspection.now
            ).inspectorJSON
    }
}
#endif
