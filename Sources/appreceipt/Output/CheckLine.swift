import AppReceiptKit

/// A check's result, on one line.
enum CheckLine {
    static func text(_ terminal: Terminal, _ result: CheckResult) -> String {
        let name = result.check.rawValue
        let padded = name + String(repeating: " ", count: max(0, 20 - name.count))
        let message = Terminal.harmless(Terminal.short(result.message, to: 400))
        switch result.outcome {
        case .passed: return "  \(terminal.styled("✓", .good)) \(padded)  \(message)"
        case .failed:
            return "  \(terminal.styled("✗", .bad)) \(padded)  \(terminal.styled(message, .bad)) [\(result.code ?? "")]"
        case .skipped: return terminal.styled("  – \(padded)  \(message)", .dim)
        }
    }
}
