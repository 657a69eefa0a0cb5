import AppReceiptKit
import Testing

@Suite("ExpectationOption")
struct ExpectationOptionTests {
    private static let anything = Expectations(bundleIdentifier: .anyBundle, environments: .anyEnvironment)

    /// A value of each option, another value, and a malformed one if there is such a value.
    private static let values: [String: (value: String, other: String, malformed: String?)] = [
        "bundle-id": ("com.example.app", "com.example.other", nil),
        "environment": ("production", "sandbox", "Produktion"),
        "app-version": ("1", "2", nil),
        "original-app-version": ("1.0", "2.0", nil),
        "device-id": ("02:00:00:00:00:01", "02:00:00:00:00:02", "02"),
    ]

    private func expectations(_ texts: [String], of option: ExpectationOption) throws -> Expectations {
        var expectations = Self.anything
        try #require(option.set(texts, in: &expectations))
        return expectations
    }

    @Test("Each option sets its expectation and no other", arguments: ExpectationOption.all)
    func set(_ option: ExpectationOption) throws {
        let value = try #require(Self.values[option.name]).value
        let expectations = try expectations([value], of: option)
        #expect(ExpectationOption.all.filter { $0.isSet(in: expectations) }.map(\.name) == [option.name])
    }

    @Test("A malformed value isn't set", arguments: ExpectationOption.all)
    func malformed(_ option: ExpectationOption) throws {
        guard let malformed = try #require(Self.values[option.name]).malformed else { return }
        var expectations = Self.anything
        #expect(!option.set([malformed], in: &expectations))
        #expect(expectations == Self.anything)
    }

    @Test("An expectation narrows any value and itself, but not another one", arguments: ExpectationOption.all)
    func narrows(_ option: ExpectationOption) throws {
        let values = try #require(Self.values[option.name])
        let expected = try expectations([values.value], of: option)
        #expect(option.narrows(Self.anything, to: expected))
        #expect(option.narrows(expected, to: expected))
        #expect(!option.narrows(expected, to: Self.anything))
        #expect(try !option.narrows(expected, to: expectations([values.other], of: option)))
        guard option.isRepeatable else { return }
        let both = try expectations([values.value, values.other], of: option)
        #expect(option.narrows(both, to: expected))
        #expect(!option.narrows(expected, to: both))
    }

    @Test("Text is compared byte by byte", arguments: [ExpectationOption.bundleIdentifier, .appVersion])
    func bytes(_ option: ExpectationOption) throws {
        let composed = try expectations(["caf\u{E9}"], of: option)
        #expect(try !option.narrows(composed, to: expectations(["cafe\u{301}"], of: option)))
    }

    @Test("Versions and devices are options of receipts only")
    func receiptsOnly() throws {
        var expectations = Self.anything
        for option in ExpectationOption.all {
            try #require(option.set([try #require(Self.values[option.name]).value], in: &expectations))
        }
        #expect(
            ExpectationOption.ofReceiptsOnly(in: expectations).map(\.name) == [
                "app-version", "original-app-version", "device-id",
            ])
    }
}
