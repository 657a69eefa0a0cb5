#if Server
import AppReceiptKit

/// The evidence of a check: a value that was found and, if it was compared, the expected value.
struct Evidence {
    let name: String
    let found: String?
    var expected: String?

    /// The first and last day of a certificate's validity.
    static func validity(of certificate: CertificateSummary) -> String {
        let (first, last) = (
            ReceiptDate.string(from: certificate.notBefore), ReceiptDate.string(from: certificate.notAfter)
        )
        return "valid \(first.prefix(10)) to \(last.prefix(10))"
    }

    var json: JSONValue { ["name": .string(name), "found": .text(found), "expected": .text(expected)] }
}

extension CheckResult {
    /// The result with its remedy and evidence.
    func json(evidence: [Evidence]) -> JSONValue {
        var object = json
        object["remedy"] = .text(remedy)
        object["evidence"] = .array(evidence.map(\.json))
        return .object(object)
    }
}
#endif
