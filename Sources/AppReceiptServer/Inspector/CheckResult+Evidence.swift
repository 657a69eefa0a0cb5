#if Server
import AppReceiptSupport
import AppReceiptKit

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
