#if Server
import AppReceiptSupport
import AppReceiptKit

extension CheckResult {
    /// The result with its remedy, where it is documented, and its evidence.
    func json(facts: [CheckFact]) -> JSONValue {
        JSONValue { writer in
            write(to: &writer)
            writer.member("remedy", remedy)
            writer.member("documentation", documentation)
            writer.member("evidence", .array(facts.map(\.json)))
        }
    }
}
#endif
