#if Server
import AppReceiptSupport
import AppReceiptKit

/// A fact behind a check: a value in the input and, if it was compared, the expected one.
struct CheckFact {
    let name: String
    let found: String?
    var expected: String?

    /// The days on which a certificate is valid.
    static func validity(of certificate: CertificateSummary) -> String {
        let first = ReceiptDate.string(from: certificate.notBefore).prefix(10)
        return "valid \(first) to \(ReceiptDate.string(from: certificate.notAfter).prefix(10))"
    }

    var json: JSONValue { ["name": .string(name), "found": .text(found), "expected": .text(expected)] }
}
#endif
