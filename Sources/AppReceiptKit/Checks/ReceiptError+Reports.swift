package import AppReceiptParsing
package import AppReceiptSupport

extension ReceiptError {
    /// The members of `failure` in a report on unverified data: `{"check", "code", "message"}`.
    package var unverifiedJSON: JSONObject {
        // Reading the input is part of the container's check.
        let check = stage == .input ? Stage.container : stage
        return ["check": .string(check.rawValue), "code": .string(code.rawValue), "message": .string(message)]
    }

    /// The message, with the offset at which parsing failed if there is one.
    package var messageWithOffset: String {
        offset.map { "\(message.dropLast()) (at byte \($0))." } ?? message
    }
}
