import AppReceiptFoundation
public import AppReceiptKit
import AppReceiptSupport
public import AppReceiptTesting
public import AppStoreSignedData
public import ArgumentParser
public import VerifyReceipt

/// Conversions of option values. Each throws an error that names the expected form.
enum ArgumentConversion {
    static func device(_ text: String) throws -> DeviceIdentifier {
        do throws(ReceiptError) {
            return try DeviceIdentifier(text: text)
        } catch {
            throw ValidationError(CommandLineRemedies.text(for: error))
        }
    }

    static func date(_ text: String) throws -> Date {
        if let date = ReceiptDate.date(from: text) { return date }
        throw ValidationError("Expected a date with time and zone, for example 2024-07-02T15:04:05Z.")
    }

    static func uuid(_ text: String) throws -> UUID {
        if let uuid = UUID(uuidString: text) { return uuid }
        throw ValidationError("Expected a UUID, for example 7EDEA87D-98F0-42D0-9682-49CA81022F73.")
    }

    /// A member of a payload.
    struct Claim: Sendable {
        let name: String
        let value: AppStoreJSON
    }

    /// Converts `name=value`, where the value is JSON.
    static func claim(_ text: String) throws -> Claim {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let name = parts.first, !name.isEmpty,
            let value = try? AppStoreJSON(parsing: ArraySlice(parts[1].utf8))
        else {
            throw ValidationError(
                "Expected name=value with a JSON value, for example price=10990 or type='\"Consumable\"'.")
        }
        return Claim(name: String(name), value: value)
    }

    static func nonEmpty(_ text: String) throws -> String {
        guard !text.isEmpty else { throw ValidationError("Expected a value that isn't empty.") }
        return text
    }

    /// Returns the identifier of a transaction, which is a 64-bit number.
    static func transactionIdentifier(_ text: String) throws -> String {
        guard (1...20).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw ValidationError(
                "Expected a transaction identifier of at most 20 digits, for example 2000000000000001.")
        }
        return text
    }

    /// Returns the name of a file in the output folder.
    static func fileName(_ text: String) throws -> String {
        guard !text.isEmpty, !text.contains("/"), !text.hasPrefix("."), !text.hasPrefix("-") else {
            throw ValidationError("Expected a file name without a folder that doesn't begin with '.' or '-'.")
        }
        return text
    }
}

// Types of the libraries that are values of options.

extension AppStoreEnvironment: ExpressibleByArgument {}

extension SignedDataKind: ExpressibleByArgument {}

extension VerifyReceiptResponder.Environments: ExpressibleByArgument {}

extension VerifyReceiptResponder.RenewalInfo: ExpressibleByArgument {}

extension TestDigest: ExpressibleByArgument {
    /// Creates a digest from its name, such as `sha256`.
    public init?(argument: String) {
        guard let digest = Self.allCases.first(where: { "\($0)" == argument }) else { return nil }
        self = digest
    }

    /// The names that help lists.
    public static var allValueStrings: [String] { allCases.map { "\($0)" } }
}
