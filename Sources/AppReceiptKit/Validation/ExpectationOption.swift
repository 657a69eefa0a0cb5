import AppReceiptParsing
import AppReceiptSupport

/// An option that states what a receipt must contain.
///
/// The command line, records of `batch`, requests to `/v1` and the inspector have the same options: ``all`` is their
/// table.
package struct ExpectationOption: Sendable {
    /// The name, such as `bundle-id`.
    package let name: String

    /// The form of a value, for messages: "a bundle identifier".
    package let form: String

    /// Whether several values are accepted alternatives.
    package let isRepeatable: Bool

    /// Whether only receipts contain the value. Signed data can't be compared with it.
    package let appliesToReceiptsOnly: Bool

    /// The expected text, nil for any, and its comparison; nil for an option of another type.
    private var text: (expected: @Sendable (Expectations) -> String?, comparison: TextComparison)?

    private let setter: @Sendable (_ texts: [String], _ expectations: inout Expectations) -> Bool
    private let presence: @Sendable (Expectations) -> Bool
    private let inclusion: @Sendable (_ outer: Expectations, _ inner: Expectations) -> Bool

    /// - Parameters:
    ///   - name: The option's name.
    ///   - form: The form of a value.
    ///   - expectation: The expectation that the option sets.
    ///   - any: The expectation of any value.
    ///   - parse: Returns the expectation of one of these values, at least one; nil if a value is malformed. `any` is
    ///     malformed too.
    ///   - includes: Whether the first expectation, which isn't `any`, accepts every value that the second one does.
    private init<Value: Equatable & Sendable>(
        _ name: String, form: String, isRepeatable: Bool = false, appliesToReceiptsOnly: Bool = false,
        sets expectation: any WritableKeyPath<Expectations, Value> & Sendable, any: Value,
        parse: @escaping @Sendable ([String]) -> Value?, includes: @escaping @Sendable (Value, Value) -> Bool
    ) {
        self.name = name
        self.form = form
        self.isRepeatable = isRepeatable
        self.appliesToReceiptsOnly = appliesToReceiptsOnly
        setter = { texts, expectations in
            guard let value = parse(texts), value != any else { return false }
            expectations[keyPath: expectation] = value
            return true
        }
        presence = { $0[keyPath: expectation] != any }
        inclusion = { outer, inner in
            outer[keyPath: expectation] == any || includes(outer[keyPath: expectation], inner[keyPath: expectation])
        }
    }
}

extension ExpectationOption {
    /// The options, in the order in which they are documented.
    package static let all: [ExpectationOption] = [
        .bundleIdentifier, .environments, .appVersion, .originalAppVersion, .devices,
    ]

    /// The options that apply to signed data too.
    package static let ofSignedData = all.filter { !$0.appliesToReceiptsOnly }

    package static let bundleIdentifier = ExpectationOption(
        "bundle-id", form: "a bundle identifier", sets: \.bundleIdentifier, any: .anyBundle,
        parse: { $0.first.map { [$0] } },
        includes: { $0.includes($1) { ExactString($0) == ExactString($1) } })

    package static let environments = ExpectationOption(
        "environment", form: "production, sandbox or xcode", isRepeatable: true, sets: \.environments,
        any: .anyEnvironment,
        parse: { texts in
            let environments = texts.compactMap { AppStoreEnvironment(rawValue: $0) }
            return environments.count == texts.count ? .only(environments) : nil
        },
        includes: { $0.includes($1, by: ==) })

    package static let appVersion = text(
        "app-version", form: "a version", sets: \.appVersion,
        comparedBy: TextComparison(
            check: .appVersion, codes: (.appVersionMissing, .appVersionMismatch), name: "app version",
            statement: "The receipt is for version", text: \.appVersion, transactionReceiptText: \.appVersion))

    package static let originalAppVersion = text(
        "original-app-version", form: "a version", sets: \.originalAppVersion,
        comparedBy: TextComparison(
            check: .originalAppVersion, codes: (.originalAppVersionMissing, .originalAppVersionMismatch),
            name: "original app version", statement: "The app was first bought in version",
            text: \.originalAppVersion, transactionReceiptText: nil))

    package static let devices = ExpectationOption(
        "device-id", form: "a UUID, a MAC address, 12 or 32 hex digits, or base64 of 6 or 16 bytes",
        isRepeatable: true, appliesToReceiptsOnly: true, sets: \.devices, any: .anyDevice,
        parse: { texts in
            let devices = texts.compactMap { try? DeviceIdentifier(text: $0) }
            return devices.count == texts.count ? .only(devices) : nil
        },
        includes: { $0.includes($1, by: ==) })

    /// Returns an option of a text that only receipts contain; nil accepts any.
    ///
    /// - Parameters:
    ///   - name: The option's name.
    ///   - form: The form of a value.
    ///   - expectation: The expectation that the option sets.
    ///   - comparison: The comparison with a receipt.
    private static func text(
        _ name: String, form: String, sets expectation: any WritableKeyPath<Expectations, String?> & Sendable,
        comparedBy comparison: TextComparison
    ) -> ExpectationOption {
        var option = ExpectationOption(
            name, form: form, appliesToReceiptsOnly: true, sets: expectation, any: nil, parse: { $0.first },
            includes: { $0.map { ExactString($0) } == $1.map { ExactString($0) } })
        option.text = ({ @Sendable in $0[keyPath: expectation] }, comparison)
        return option
    }

    /// The expected texts, and how they are compared, in the order of the checks.
    static let texts = all.compactMap(\.text)
}

extension ExpectationOption {
    /// Sets the expectation.
    ///
    /// - Parameter texts: The option's values, at least one.
    /// - Returns: Whether the values are well-formed.
    package func set(_ texts: [String], in expectations: inout Expectations) -> Bool { setter(texts, &expectations) }

    /// Whether the expectations state a value for the option.
    package func isSet(in expectations: Expectations) -> Bool { presence(expectations) }

    /// Whether `inner` accepts only values of the option that `outer` accepts.
    package func narrows(_ outer: Expectations, to inner: Expectations) -> Bool { inclusion(outer, inner) }

    /// Returns the options of receipts alone that the expectations have.
    package static func ofReceiptsOnly(in expectations: Expectations) -> [ExpectationOption] {
        all.filter { $0.appliesToReceiptsOnly && $0.isSet(in: expectations) }
    }
}
