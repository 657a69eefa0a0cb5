public import AppReceiptKit
public import AppReceiptTesting
public import ArgumentParser

/// How results are written.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    case text, json
}

extension ReceiptEnvironment.Base: ExpressibleByArgument {}

extension DeviceIdentifier: ExpressibleByArgument {
    public init?(argument: String) {
        guard let device = try? DeviceIdentifier(text: argument) else { return nil }
        self = device
    }
}

extension TestDigest: ExpressibleByArgument {
    public init?(argument: String) {
        guard let digest = Self.allCases.first(where: { "\($0)" == argument }) else { return nil }
        self = digest
    }

    public static var allValueStrings: [String] { allCases.map { "\($0)" } }
}
