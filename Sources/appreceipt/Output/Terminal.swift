import AppReceiptFoundation
import AppReceiptParsing
import AppReceiptSupport
import ArgumentParser

/// Output to the terminal: colored where it is supported, without control characters from a receipt.
struct Terminal {
    private let hasColor: Bool

    enum Style: String {
        case bold = "1"
        case dim = "2"
        case good = "32"
        case bad = "31"
        case warning = "33"
    }

    /// Standard output. `NO_COLOR` disables color (https://no-color.org).
    static let output: Terminal = {
        let environment = ProcessInfo.processInfo.environment
        let isDisabled = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        return Terminal(
            hasColor: isatty(STDOUT_FILENO) == 1 && !isDisabled && environment["TERM"] != "dumb")
    }()

    func styled(_ text: String, as styles: Style...) -> String {
        guard hasColor else { return text }
        return "\u{1B}[\(styles.map(\.rawValue).joined(separator: ";"))m\(text)\u{1B}[0m"
    }

    /// Escapes the characters that control a terminal or reorder text.
    static func escaped(_ text: String) -> String {
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

    /// Returns the beginning of a text, with an ellipsis if it was shortened.
    static func truncated(_ text: String, to length: Int = 80) -> String {
        guard let end = text.unicodeScalars.index(text.startIndex, offsetBy: length, limitedBy: text.endIndex),
            end < text.endIndex
        else { return text }
        return String(text.unicodeScalars[..<end]) + "…"
    }

    /// Returns the text in the form that a shell reads as one word.
    static func quotedForShell(_ text: String) -> String {
        let isPlain = text.allSatisfy { character in
            character.isASCII && (character.isLetter || character.isNumber || "-_./:@%+=,".contains(character))
        }
        guard text.isEmpty || !isPlain else { return text }
        return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    /// Writes results to standard output.
    ///
    /// - Throws: `ExitCode` 74 if they can't be written, so that a script doesn't mistake a full disk for a verdict.
    static func write(_ text: String) throws {
        guard send(text, to: STDOUT_FILENO) else {
            printError("Can't write to standard output.")
            throw ExitCode(74)
        }
    }

    /// Writes lines of results to standard output.
    static func write(lines: [String]) throws { try write(lines.joined(separator: "\n") + "\n") }

    private static func send(_ text: String, to descriptor: Int32) -> Bool { send(Array(text.utf8), to: descriptor) }

    /// Shows a line on standard error that replaces the last one, if it is a terminal. The text isn't escaped, so it
    /// must not come from a receipt.
    static func showProgress(_ text: String) {
        if isatty(STDERR_FILENO) == 1 { _ = send("\r\(text)\u{1B}[K", to: STDERR_FILENO) }
    }

    /// Removes the line that shows progress.
    static func clearProgress() { showProgress("") }

    /// Writes all bytes.
    ///
    /// - Returns: Whether all were written. If not, `errno` is the cause.
    static func send(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe writeBytes($0, to: descriptor) }
            if count < 0 {
                guard errno == EINTR else { return false }
                continue
            }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Writes an error message to standard error.
    static func printError(_ message: String) {
        guard collected == nil else { return note(message) }
        note("\(JournalPriority.error.prefix)appreceipt: \(message)")
    }

    /// Writes an error with its code, what to do about it, and where it is documented, to standard error.
    static func printError(_ error: ReceiptError, about name: String) {
        printError("\(name): \(error.description)")
        for line in CommandLineRemedies.lines(for: [(error.code.rawValue, error.remedy)]) { printError(line) }
    }

    /// Writes a line to standard error.
    static func note(_ message: String) {
        if let collected { return collected.withLock { $0.append(message) } }
        _ = send("\(escaped(message))\n", to: STDERR_FILENO)
    }

    /// The lines that aren't written to standard error; nil if they are.
    @TaskLocal private static var collected: LockedValueBox<[String]>?

    /// Returns the result of an operation, and what it would have written to standard error.
    static func collectingLines<Value>(_ operation: () throws -> Value) -> (Result<Value, any Error>, [String]) {
        let lines = LockedValueBox<[String]>([])
        let result = $collected.withValue(lines) { Result { try operation() } }
        return (result, lines.withLock(\.self))
    }
}

/// The C function, which the method of the same name hides.
private func writeBytes(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int {
    unsafe write(descriptor, bytes.baseAddress, bytes.count)
}

/// Wrong usage that is only found while a command runs.
enum UsageError {
    /// Reports the error.
    ///
    /// - Returns: The exit status to throw.
    static func exit(_ message: String) -> ExitCode {
        Terminal.printError(message)
        return ExitCode(64)
    }
}
