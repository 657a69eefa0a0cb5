extension ReceiptError {
    /// A stage of processing. Each check of a report has the name of its stage; `input` belongs to the check `container`.
    ///
    /// The raw value is stable. Other modules add their own stages, so a `switch` over stages needs a default.
    public struct Stage: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
        /// The stable name, such as `certificate-chain`.
        public let rawValue: String

        /// Creates a stage with this name, known or not.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Recognizing the form of the input.
        public static let input = Self(rawValue: "input")
        /// Parsing the container.
        public static let container = Self(rawValue: "container")
        /// Parsing the payload.
        public static let payload = Self(rawValue: "payload")

        /// The stages of parsing, in order.
        package static let parsingStages: [Self] = [.input, .container, .payload]

        /// The stable name.
        public var description: String { rawValue }
    }
}
