#if Server
import AppReceiptKit
import AppStoreSignedData
import VerifyReceipt
import AppReceiptSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One input on its way to its document.
struct Examiner {
    let receipts: ReceiptVerifier
    let signedData: SignedDataVerifier
    let transactionReceipts: TransactionReceiptTrust
    let trust: Inspector.Trust
    /// The apps that the server serves, in their order; none if it is not known.
    let served: [String]
    /// The environments that the server serves; none if it is not known.
    let servedEnvironments: [String]
    let request: InspectorRequest
    let now: Date

    func answer(to bytes: [UInt8], name: String?) -> InspectorResponse {
        let input = InspectorInput(bytes, limits: receipts.limits)
        let description: [(name: String, json: [UInt8])] = [
            ("trust", JSONValue.string(trust.rawValue).text()),
            ("now", JSONValue.string(ReceiptDate.string(from: now)).text()),
            ("served", JSONValue.array(served.map { .string($0) }).text()),
            ("servedEnvironments", JSONValue.array(servedEnvironments.map { .string($0) }).text()),
            ("input", describe(input, bytes, name).text()),
        ]
        switch input.kind {
        case .receipt(let source):
            return ReceiptDocument(examiner: self, input: input, source: source).answer(after: description)
        case .transactionReceipt(let source):
            return ReceiptDocument(examiner: self, input: input, source: source)
                .answer(toTransactionReceiptAfter: description)
        case .signedData(let token):
            return SignedDataDocument(examiner: self, token: token).answer(after: description)
        }
    }

    private func describe(_ input: InspectorInput, _ bytes: [UInt8], _ name: String?) -> JSONValue {
        [
            "name": .text(name), "bytes": .number(JSONNumber(bytes.count)),
            "format": .text(input.format?.rawValue), "wrapper": .text(input.wrapper?.rawValue),
            "member": .text(input.member), "notTaken": .array(input.notTaken.map { .string($0) }),
        ]
    }

    /// A certificate, for the drawing of the chain.
    func json(_ certificate: CertificateSummary) -> JSONValue {
        [
            "role": .string(certificate.role.rawValue), "commonName": .string(certificate.commonName),
            "subject": .string(certificate.subject), "issuer": .string(certificate.issuer),
            "serialNumber": .string(certificate.serialNumber), "notBefore": .date(certificate.notBefore),
            "notAfter": .date(certificate.notAfter), "key": .string(certificate.key),
            "sha256Fingerprint": .string(certificate.sha256Fingerprint),
        ]
    }
}

/// What stands behind a check: something found and, where it was compared, what was expected.
struct Evidence {
    let name: String
    let found: String?
    var expected: String?

    /// The days of a certificate's validity.
    static func validity(of certificate: CertificateSummary) -> String {
        let (first, last) = (
            ReceiptDate.string(from: certificate.notBefore), ReceiptDate.string(from: certificate.notAfter)
        )
        return "valid \(first.prefix(10)) to \(last.prefix(10))"
    }

    var json: JSONValue { ["name": .string(name), "found": .text(found), "expected": .text(expected)] }
}

extension JSONValue {
    /// The date as receipts write them, or null.
    static func date(_ date: Date?) -> JSONValue { .text(date.map { ReceiptDate.string(from: $0) }) }
}
#endif
