public import AppReceiptFoundation
import AppReceiptSupport

extension ReceiptError {
    /// A kind of failure.
    ///
    /// The raw value is stable, and can be stored and compared: `error.code == ReceiptError.Code(rawValue: stored)`.
    /// New codes may be added in any release, so a `switch` over codes needs a default.
    public struct Code: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
        /// The stable name, such as `signature-invalid`.
        public let rawValue: String

        /// The check at which this failure usually occurs. ``ReceiptError/check`` is where it occurred.
        package let check: ValidationCheck

        /// The failure, as a full sentence.
        package let cause: String

        /// The remedy, as a full sentence.
        package let remedy: String

        package init(_ rawValue: String, _ check: ValidationCheck, cause: String, remedy: String) {
            self.rawValue = rawValue
            self.check = check
            self.cause = cause
            self.remedy = remedy
        }

        /// Creates a code to compare with, known or not. Errors are only created with the codes that this package
        /// declares.
        public init(rawValue: String) { self.init(rawValue, ValidationCheck(rawValue: ""), cause: "", remedy: "") }

        /// Creates a code from its raw value.
        public init(from decoder: any Decoder) throws {
            self.init(rawValue: try decoder.singleValueContainer().decode(String.self))
        }

        /// Encodes the raw value.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(rawValue)
        }

        /// The section about this code in the documentation, such as `docs/errors.md#signature-invalid`.
        ///
        /// The path is relative to the repository of this package.
        public var documentation: URL { ErrorDocumentation.url(of: rawValue) }

        /// The stable name.
        public var description: String { rawValue }
        /// Two codes are equal if their raw values are equal.
        public static func == (left: Code, right: Code) -> Bool { left.rawValue == right.rawValue }
        /// Hashes the raw value.
        public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
    }
}
