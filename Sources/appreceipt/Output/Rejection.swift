import AppReceiptKit
import AppReceiptSupport

/// An input, a part of one, or an item of a response that wasn't used.
struct Rejection {
    /// Its position.
    let input: String
    let code: String
    let message: String
    /// The library's remedy, which the outputs adapt to the command line.
    let remedy: String

    /// Writes the reason as members of JSON.
    func writeReason(to writer: inout JSONWriter) {
        writer.member("code", code)
        writer.member("message", message)
        writer.member("remedy", CommandLineRemedies.remedy(for: code, remedy))
        writer.member("documentation", ErrorDocumentation.link(to: code))
    }

    /// Returns the lines about rejections, and what to do about them; empty if there are none.
    static func lines(_ rejections: [Rejection], terminal: Terminal) -> [String] {
        guard !rejections.isEmpty else { return [] }
        return ["", terminal.styled("Rejected", as: .bad, .bold)]
            + rejections.map { rejection in
                let message = Terminal.escaped(Terminal.truncated(rejection.message, to: 400))
                return "  \(Terminal.escaped(rejection.input)): \(rejection.code): \(message)"
            }
            + ["", terminal.styled("What to do", as: .bold)]
            + CommandLineRemedies.lines(for: rejections.map { ($0.code, $0.remedy) }).map { "  " + $0 }
    }
}
