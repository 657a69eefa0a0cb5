#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What goes to the terminal: colour where it is one, and nothing from a receipt that could steer it.
struct Terminal {
    private let hasColour: Bool

    enum Style: String {
        case bold = "1"
        case dim = "2"
        case good = "32"
        case bad = "31"
        case warning = "33"
    }

    /// Standard output. `NO_COLOR` turns colour off (https://no-color.org).
    static let output: Terminal = {
        let environment = ProcessInfo.processInfo.environment
        let refused = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        return Terminal(
            hasColour: isatty(STDOUT_FILENO) == 1 && !refused && environment["TERM"] != "dumb")
    }()

    func styled(_ text: String, _ styles: Style...) -> String {
        guard hasColour else { return text }
        return "\u{1B}[\(styles.map(\.rawValue).joined(separator: ";"))m\(text)\u{1B}[0m"
    }

    /// Text from a receipt with every character made visible that a terminal would obey, or that reorders text.
    static func harmless(_ text: String) -> String {
        var safe = ""
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse:
                safe += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            default:
                safe.unicodeScalars.append(scalar)
            }
        }
        return safe
    }

    /// What went wrong, on standard error.
    static func complain(_ message: String) { note("appreceipt: \(message)") }

    /// A line on standard error.
    static func note(_ message: String) {
        let line = Array("\(harmless(message))\n".utf8)
        _ = unsafe line.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
