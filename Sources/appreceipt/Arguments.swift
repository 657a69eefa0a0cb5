public import AppReceiptKit
public import AppReceiptTesting
public import ArgumentParser
public import VerifyReceipt

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How results are written.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    case text, json
}

extension ReceiptEnvironment.Base: ExpressibleByArgument {}

extension VerifyReceiptResponder.Environments: ExpressibleByArgument {}

/// Conversions that say what is wrong with a value.
enum Convert {
    static func device(_ text: String) throws -> DeviceIdentifier {
        do throws(ReceiptError) {
            return try DeviceIdentifier(text: text)
        } catch {
            throw ValidationError("\(error.message) \(error.remedy)")
        }
    }

    static func date(_ text: String) throws -> Date {
        if let date = ReceiptDate.date(from: text) { return date }
        throw ValidationError("A date has day, time and zone, as in 2024-07-02T15:04:05Z.")
    }

    static func nonEmpty(_ text: String) throws -> String {
        guard !text.isEmpty else { throw ValidationError("It must not be empty.") }
        return text
    }

    /// The name of a file in the folder that is written to.
    static func fileName(_ text: String) throws -> String {
        guard !text.isEmpty, !text.contains("/"), !text.hasPrefix("."), !text.hasPrefix("-") else {
            throw ValidationError("It must be a plain file name.")
        }
        return text
    }
}

extension TestDigest: ExpressibleByArgument {
    /// `sha256` and the like.
    public init?(argument: String) {
        guard let digest = Self.allCases.first(where: { "\($0)" == argument }) else { return nil }
        self = digest
    }

    /// What help lists.
    public static var allValueStrings: [String] { allCases.map { "\($0)" } }
}
