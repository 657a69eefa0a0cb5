public import AppReceiptTesting
public import ArgumentParser

extension TestDigest: ExpressibleByArgument {
    /// Creates a digest from its name, such as `sha256`.
    public init?(argument: String) {
        guard let digest = Self.allCases.first(where: { "\($0)" == argument }) else { return nil }
        self = digest
    }

    /// The names that help lists.
    public static var allValueStrings: [String] { allCases.map { "\($0)" } }
}
