#if Server
import AppReceiptSupport
import VerifyReceipt

extension VerifyReceiptResponse {
    /// How the page shows a response: its status, the reason for a rejection, and its body.
    var inspectorJSON: JSONValue {
        let reason: JSONValue =
            failure.map { failure in
                [
                    "code": .string(failure.code.rawValue), "message": .string(failure.message),
                    "remedy": .string(ServerRemedies.remedy(for: failure.code.rawValue, failure.remedy)),
                    "documentation": .string(failure.code.documentation),
                ]
            } ?? .null
        // Text, because JavaScript would round its numbers.
        return [
            "status": .number(JSONNumber(status.rawValue)), "reason": reason,
            "text": .string(String(decoding: json.text(isPretty: true), as: UTF8.self)),
        ]
    }
}
#endif
