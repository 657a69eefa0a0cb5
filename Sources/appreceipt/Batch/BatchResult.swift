import AppReceiptKit
import AppReceiptSupport

/// The result for one record.
struct BatchResult: Sendable {
    enum Verdict: String, Sendable { case valid, invalid, error }

    struct Failure: Sendable {
        /// The check that failed; nil if the record wasn't validated.
        var check: String?
        let code: String
        let message: String
        /// What to do about it, or nil if the record is malformed, which the message explains.
        var remedy: String?

        var json: JSONValue {
            [
                "check": check.map { .string($0) } ?? .null, "code": .string(code), "message": .string(message),
                "remedy": remedy.map { .string($0) } ?? .null,
            ]
        }
    }

    let verdict: Verdict
    /// The environment that the signature proves.
    var environment: ReceiptEnvironment.Base?
    var failure: Failure?
    /// The receipt's contents; nil if they weren't requested, `.null` if there are none.
    var receipt: JSONValue?

    /// The result as JSON, for the record on `line` with this id.
    func json(line: Int, id: JSONValue) -> JSONObject {
        var object: JSONObject = [
            "line": .number(JSONNumber(line)), "id": id, "verdict": .string(verdict.rawValue),
            "environment": environment.map { .string($0.rawValue) } ?? .null, "failure": failure?.json ?? .null,
        ]
        if let receipt { object["receipt"] = receipt }
        return object
    }
}
