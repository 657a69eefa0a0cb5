#if Server
import AppReceiptSupport
import AppReceiptKit

extension CheckResult {
    /// The result with its remedy, where it is documented, and its evidence.
    func json(facts: [CheckFact]) -> JSONValue {
        var object = json
        object["remedy"] = .text(remedy)
        object["documentation"] = .text(documentation)
        object["evidence"] = .array(facts.map(\.json))
        return .object(object)
    }
}
#endif
