#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Why a receipt was refused: a stable code for programs, a sentence for people, and where it happened.
///
/// Two errors are equal when their codes are equal, so that a test can name the error it expects without repeating
/// the text. The text never holds receipt bytes or identifiers of a customer or device and may be logged.
public struct ReceiptError: Error, Sendable {
    /// What went wrong, stable from release to release.
    public var code: Code { storage.code }

    /// The stage of the receipt's way at which it went wrong.
    public var stage: Stage { storage.stage }

    /// The byte at which parsing failed, counted from the start of the decoded receipt.
    ///
    /// For input that is still text (base64, PEM) it counts from the start of the text; in a payload that the
    /// container carries in several pieces (BER), from the start of the joined payload. Nil where no single byte is
    /// to blame, and inside of a value that came in pieces.
    public var offset: Int? { storage.offset }

    /// What happened in this case, as a full sentence.
    public var message: String { storage.message }

    /// What to do about it, as a full sentence. The same for every error with this code.
    public var remedy: String { storage.code.remedy }

    // A reference, so that a function that throws this error returns one word.
    private let storage: Storage

    private final class Storage: Sendable {
        let code: Code
        let stage: Stage
        let offset: Int?
        let message: String

        init(code: Code, stage: Stage, offset: Int?, message: String) {
            self.code = code
            self.stage = stage
            self.offset = offset
            self.message = message
        }
    }

    /// - Parameters:
    ///   - message: a full sentence, without receipt content; nil takes the code's own cause.
    package init(_ code: Code, stage: Stage? = nil, offset: Int? = nil, _ message: String? = nil) {
        storage = Storage(code: code, stage: stage ?? code.stage, offset: offset, message: message ?? code.cause)
    }
}

extension ReceiptError: Equatable, Hashable {
    /// Equal are errors with the same code.
    public static func == (left: ReceiptError, right: ReceiptError) -> Bool { left.code == right.code }
    /// Hashes what equality compares.
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
    /// The description, for those who log `localizedDescription`. It is in English.
    public var errorDescription: String? { description }
    /// The remedy.
    public var recoverySuggestion: String? { remedy }
}

extension ReceiptError {
    /// The stages of a receipt's way, in the order the data flows. A check of a report bears the name of its stage;
    /// `input` belongs to the check `container`.
    public enum Stage: String, Sendable, Hashable, CaseIterable, Codable {
        case input
        case container
        case payload
        case certificateChain = "certificate-chain"
        case signature
        case bundleIdentifier = "bundle-identifier"
        case environment
        case appVersion = "app-version"
        case originalAppVersion = "original-app-version"
        case deviceHash = "device-hash"
        case expiration
        /// Signed data only, in place of the container, as are the next three.
        case token
        case appAppleIdentifier = "app-apple-id"
        case deviceVerification = "device-verification"
        /// What a notification carries, which is signed by itself.
        case nestedData = "nested-data"
    }

    /// A kind of failure. The raw value is stable; new codes may be added in any release, so a `switch` over codes
    /// needs a default.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The stable name, such as `signature-invalid`.
        public let rawValue: String

        /// The stage at which this failure usually arises. Encoding faults arise in the container as well as in the
        /// payload: ``ReceiptError/stage`` says which.
        public let stage: Stage

        /// What this code means, as a full sentence.
        public let cause: String

        /// What to do about it, as a full sentence.
        public let remedy: String

        package init(_ rawValue: String, _ stage: Stage, cause: String, remedy: String) {
            self.rawValue = rawValue
            self.stage = stage
            self.cause = cause
            self.remedy = remedy
        }

        /// The stable name.
        public var description: String { rawValue }
        /// Equal are codes of the same name.
        public static func == (left: Code, right: Code) -> Bool { left.rawValue == right.rawValue }
        /// Hashes what equality compares.
        public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
    }
}
