@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerError {
    /// One of the errors that Apple documents for the requests of ``AppStoreServerClient``.
    ///
    /// ``documented`` is the table of all. ``AppStoreServerError/appleErrorCode`` also contains numbers that aren't in
    /// it.
    public struct AppleErrorCode: Sendable, Hashable, CustomStringConvertible {
        /// The number, whose first three digits are the HTTP status.
        public let number: Int64
        /// The name in Apple's documentation, such as `TransactionIdNotFound`.
        public let name: String
        /// The meaning, as a full sentence.
        public let meaning: String
        /// The remedy, as a full sentence.
        public let remedy: String

        init(_ number: Int64, name: String, meaning: String, remedy: String) {
            self.number = number
            self.name = name
            self.meaning = meaning
            self.remedy = remedy
        }

        /// Looks up a number in ``documented``.
        ///
        /// - Parameter number: The number.
        public init?(number: Int64) {
            guard let known = Self.byNumber[number] else { return nil }
            self = known
        }

        /// The HTTP status that Apple documents for the number.
        public var httpStatus: Int { Int(number / 10_000) }

        /// Whether Apple announces that the same request may succeed if it is repeated.
        public var isRetryable: Bool { number == 4_290_000 || httpStatus >= 500 || name.hasSuffix("Retryable") }

        /// The number of a failure that isn't known to end soon.
        static let generalInternal: Int64 = 5_000_000

        /// Whether the identifier may exist in another environment.
        var concernsIdentifier: Bool {
            [4_040_001, 4_040_003, 4_040_005, 4_040_010, 4_040_019, 4_040_022].contains(number)
        }

        /// The code of errors with this number.
        public var code: AppStoreServerError.Code {
            number == 4_290_000
                ? .rateLimited
                : AppStoreServerError.Code(
                    Self.hyphenated(name), cause: meaning, remedy: remedy, isRetryable: isRetryable)
        }

        /// The number and name.
        public var description: String { "\(number) \(name)" }

        private static let byNumber: [Int64: AppleErrorCode] = Dictionary(
            documented.map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })

        /// Returns a name in lowercase with hyphens: `InvalidAppAccountTokenUUID` becomes
        /// `invalid-app-account-token-uuid`.
        static func hyphenated(_ name: String) -> String {
            let letters = Array(name)
            var text = ""
            for (index, letter) in letters.enumerated() {
                let followsLowercase = index > 0 && letters[index - 1].isLowercase
                let endsAcronym = index > 0 && index + 1 < letters.count && letters[index + 1].isLowercase
                if letter.isUppercase, followsLowercase || endsAcronym { text += "-" }
                text += letter.lowercased()
            }
            return text
        }
    }
}
