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

        init(check: String? = nil, code: String, message: String, remedy: String? = nil) {
            self.check = check
            self.code = code
            self.message = message
            self.remedy = remedy
        }

        /// The first failure of a report.
        init(_ result: CheckResult?) {
            let code = result?.code ?? ""
            self.init(
                check: result?.check.rawValue, code: code, message: result?.message ?? "",
                remedy: result?.remedy.map { CommandLineRemedies.remedy(for: code, $0) })
        }

        var json: JSONValue {
            [
                "check": check.map { .string($0) } ?? .null, "code": .string(code), "message": .string(message),
                "remedy": remedy.map { .string($0) } ?? .null,
                "documentation": .string(ErrorDocumentation.link(to: code)),
            ]
        }
    }

    let verdict: Verdict
    /// The environment that the signature proves.
    var environment: ReceiptEnvironment.Base?
    var failure: Failure?
    /// The receipt's contents; nil if they weren't requested, `.null` if there are none.
    var receipt: JSONValue?
    /// What the customer owns; empty unless the receipt or token is valid and fields of products were requested.
    var products: [Entitlement] = []

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

extension BatchResult {
    /// The result for a record that isn't validated.
    init(_ malformed: BatchRecord.Malformed) {
        self.init(verdict: .error, failure: Failure(code: malformed.code, message: malformed.message))
    }
}
