import AppReceiptParsing
import AppReceiptSupport
import ArgumentParser

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

/// What goes to the terminal: color where it is one, and nothing from a receipt that could steer it.
struct Terminal {
    private let hasColor: Bool

    enum Style: String {
        case bold = "1"
        case dim = "2"
        case good = "32"
        case bad = "31"
        case warning = "33"
    }

    /// Standard output. `NO_COLOR` turns color off (https://no-color.org).
    static let output: Terminal = {
        let environment = ProcessInfo.processInfo.environment
        let refused = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        return Terminal(
            hasColor: isatty(STDOUT_FILENO) == 1 && !refused && environment["TERM"] != "dumb")
    }()

    func styled(_ text: String, _ styles: Style...) -> String {
        guard hasColor else { return text }
        return "\u{1B}[\(styles.map(\.rawValue).joined(separator: ";"))m\(text)\u{1B}[0m"
    }

    /// Text from a receipt with every character made visible that a terminal would obey, or that reorders text.
    static func harmless(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: \.isUnsafeToShow) else { return text }
        var safe = ""
        for scalar in text.unicodeScalars {
            if scalar.isUnsafeToShow {
                safe += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            } else {
                safe.unicodeScalars.append(scalar)
            }
        }
        return safe
    }

    /// The beginning of a text that may be of any length.
    static func short(_ text: String, to length: Int = 80) -> String {
        guard let end = text.unicodeScalars.index(text.startIndex, offsetBy: length, limitedBy: text.endIndex),
            end < text.endIndex
        else { return text }
        return String(text.unicodeScalars[..<end]) + "…"
    }

    /// Results, on standard output.
    ///
    /// - Throws: `ExitCode` 74 if they could not be written: a script must not take a full disk for a verdict.
    static func write(_ text: String) throws {
        guard send(text, to: STDOUT_FILENO) else {
            complain("standard output cannot be written")
            throw ExitCode(74)
        }
    }

    private static func send(_ text: String, to descriptor: Int32) -> Bool { send(Array(text.utf8), to: descriptor) }

    /// Text on standard error as it is, which must hold nothing from a receipt.
    static func send(_ text: String) { _ = send(text, to: STDERR_FILENO) }

    /// Writes all of it, and says whether that went well; else `errno` says why not.
    static func send(_ octets: [UInt8], to descriptor: Int32) -> Bool {
        var rest = octets[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe writeBytes(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                guard errno == EINTR else { return false }
                continue
            }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// What went wrong, on standard error.
    static func complain(_ message: String) { note("appreceipt: \(message)") }

    /// A line on standard error.
    static func note(_ message: String) { _ = send("\(harmless(message))\n", to: STDERR_FILENO) }
}

/// The C function, whose name the method above would hide.
private func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    unsafe write(descriptor, bytes, count)
}
