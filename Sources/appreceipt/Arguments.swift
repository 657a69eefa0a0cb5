public import AppReceiptKit
import AppReceiptSupport
public import AppReceiptTesting
public import AppStoreSignedData
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
extension SignedDataKind: ExpressibleByArgument {}

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

    static func uuid(_ text: String) throws -> UUID {
        if let uuid = UUID(uuidString: text) { return uuid }
        throw ValidationError("It is a UUID, as in 7EDEA87D-98F0-42D0-9682-49CA81022F73.")
    }

    /// A member of signed data.
    struct Claim: Sendable {
        let name: String
        let value: JSONValue
    }

    /// `name=value`, the value in JSON.
    static func claim(_ text: String) throws -> Claim {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let name = parts.first, !name.isEmpty,
            let value = try? JSONValue(parsing: ArraySlice(parts[1].utf8))
        else {
            throw ValidationError("It is a name, '=' and a value in JSON, as in price=10990 or type='\"Consumable\"'.")
        }
        return Claim(name: String(name), value: value)
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
