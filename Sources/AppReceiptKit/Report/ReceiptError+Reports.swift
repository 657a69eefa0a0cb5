package import AppReceiptParsing
package import AppReceiptSupport

extension ReceiptError {
    /// Writes the members of `failure` in a report on unverified data, the same as in other reports.
    ///
    /// - Parameter transform: Returns the remedy for an error's code and the library's remedy.
    package func writeUnverified(
        to writer: inout JSONWriter, _ transform: (_ code: String, _ remedy: String) -> String
    ) {
        // Reading the input is part of the container's check.
        let check = check == .input ? ValidationCheck.container : check
        writer.member("check", check.rawValue)
        writer.member("code", code.rawValue)
        writer.member("message", message)
        writer.member("remedy", transform(code.rawValue, remedy))
        writer.member("documentation", ErrorDocumentation.link(to: code.rawValue))
    }

    /// The message, with the offset at which parsing failed if there is one.
    package var messageWithOffset: String {
        offset.map { "\(message.dropLast()) (at byte \($0))." } ?? message
    }
}
