#if Server
import AppReceiptSupport
import AppReceiptKit

extension CheckResult {
    /// The result with its remedy and evidence.
    func json(facts: [CheckFact]) -> JSONValue {
        var object = json
        object["remedy"] = .text(remedy)
        object["evidence"] = .array(facts.map(\.json))
        return .object(object)
    }
}
#endif
