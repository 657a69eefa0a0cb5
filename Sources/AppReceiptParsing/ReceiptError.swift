public import AppReceiptFoundation

/// Describes why a receipt or signed data was rejected: a stable code for programs, a message for people, and the
/// position.
///
/// Two errors are equal if their codes are equal, so a test can compare errors without repeating messages. Messages
/// never contain receipt bytes or identifiers of a customer or device, and may be logged.
public struct ReceiptError: Error, Sendable {
    /// The kind of failure, stable from release to release.
    public let code: Code

    /// The check that failed.
    public let check: ValidationCheck

    /// The byte at which parsing failed, counted from the start of the decoded receipt.
    ///
    /// For text (base64, PEM) it counts from the start of the text. For a payload that the container splits into pieces
    /// (BER), it counts from the start of the joined payload. Nil if no single byte caused the failure, and inside of a
    /// value that was split into pieces.
    public let offset: Int?

    /// The failure, as a full sentence.
    public let message: String

    /// The remedy, as a full sentence. It is the same for every error with this code.
    public var remedy: String { code.remedy }

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - check: The check that failed. Default: the check of the code.
    ///   - offset: The byte at which parsing failed.
    ///   - message: A full sentence, without receipt contents. Default: the code's cause.
    package init(_ code: Code, check: ValidationCheck? = nil, offset: Int? = nil, _ message: String? = nil) {
        self.code = code
        self.check = check ?? code.check
        self.offset = offset
        self.message = message ?? code.cause
    }
}

extension ReceiptError: Equatable, Hashable {
    /// Two errors are equal if their codes are equal.
    public static func == (left: ReceiptError, right: ReceiptError) -> Bool { left.code == right.code }
    /// Hashes the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension ReceiptError: CustomStringConvertible {
    /// The message with the code and, where known, the offset.
    public var description: String {
        guard let offset else { return "\(message) [\(code)]" }
        return "\(message) [\(code), at byte \(offset)]"
    }
}

extension ReceiptError: LocalizedError {
    /// The description in English, so that `localizedDescription` contains the code.
    public var errorDescription: String? { description }
    /// The remedy.
    public var recoverySuggestion: String? { remedy }
}
