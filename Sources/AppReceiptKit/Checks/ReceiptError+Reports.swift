package import AppReceiptParsing
package import AppReceiptSupport

extension ReceiptError {
    /// The members of `failure` in a report on unverified data, the same as in other reports.
    ///
    /// - Parameter transform: Returns the remedy for an error's code and the library's remedy.
    package func unverifiedJSON(_ transform: (_ code: String, _ remedy: String) -> String) -> JSONObject {
        // Reading the input is part of the container's check.
        let check = stage == .input ? Stage.container : stage
        return [
            "check": .string(check.rawValue), "code": .string(code.rawValue), "message": .string(message),
            "remedy": .string(transform(code.rawValue, remedy)), "documentation": .string(code.documentation),
        ]
    }

    /// The message, with the offset at which parsing failed if there is one.
    package var messageWithOffset: String {
        offset.map { "\(message.dropLast()) (at byte \($0))." } ?? message
    }
}
