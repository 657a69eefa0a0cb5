import AppReceiptKit

/// One check of a report, as a line of text.
enum CheckLine {
    static func text(
        _ terminal: Terminal, _ name: String, _ outcome: ValidationReport.Outcome, _ message: String, code: String?
    ) -> String {
        let padded = name + String(repeating: " ", count: max(0, 20 - name.count))
        let message = Terminal.harmless(Terminal.short(message, to: 400))
        switch outcome {
        case .passed: return "  \(terminal.styled("✓", .good)) \(padded)  \(message)"
        case .failed:
            return "  \(terminal.styled("✗", .bad)) \(padded)  \(terminal.styled(message, .bad)) [\(code ?? "")]"
        case .skipped: return terminal.styled("  – \(padded)  \(message)", .dim)
        }
    }
}
