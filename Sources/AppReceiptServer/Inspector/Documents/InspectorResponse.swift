#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData

/// The document for an input.
struct InspectorResponse: Sendable {
    /// The members about the input itself. They contain a customer's receipt and must not be logged.
    var document: JSONDocument
    /// The error of the first failed check, or nil if the input is valid.
    let failure: ReceiptError?
    /// What the input proves on its own; nil if it isn't valid.
    var proof: Proof?
    /// The entitlements according to the input alone.
    let products: [Entitlement]
    /// The current time.
    let now: Date
    /// The subscriptions according to the input alone.
    var subscriptions: [AppStoreJSON] = []

    /// The original transactions that an input names which isn't valid, or its transactions. They prove nothing.
    var namedTransactions: [String] = []

    /// The report on signed data, which the page exports; nil for receipts.
    var signedDataReport: SignedDataReport?

    /// What a valid input proves.
    struct Proof: Sendable {
        let evidence: CustomerEvidence
        let app: String?
        let environment: AppStoreEnvironment?
    }

    /// The code of the failure. For logs and metrics.
    var code: String? { failure?.code.rawValue }

    /// Whether the input is cut off or damaged. Unsigned data isn't.
    var isDamaged: Bool {
        guard let failure, ![.tokenUnsigned, .responseWithoutReceipt].contains(failure.code) else { return false }
        return [.input, .container, .token, .payload].contains(failure.check)
    }

    /// The document for the input alone.
    var bytes: [UInt8] {
        var document = document
        addReport(to: &document, entitlements: nil)
        document.add(products: products, now: now)
        document.add("subscriptions", .array(subscriptions))
        return document.bytes
    }

    /// Adds the report of `/v1/signed-data/verify`.
    func addReport(to document: inout JSONDocument, entitlements: Entitlements?) {
        guard let signedDataReport else { return }
        var writer = JSONWriter(isPretty: true)
        writer.openObject()
        signedDataReport.write(to: &writer, entitlements: entitlements ?? signedDataReport.entitlements)
        writer.closeObject()
        document.add("report", .string(String(decoding: writer.bytes, as: UTF8.self)))
    }
}
#endif
