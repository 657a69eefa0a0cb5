import AppReceiptKit
import AppReceiptTesting
import TestSupport
import Testing

@Suite("ExpectationOption")
struct ExpectationOptionTests {
    private static let anything = Expectations(bundleIdentifier: .anyBundle, environments: .anyEnvironment)

    private func expectations(_ texts: [String], of option: ExpectationOption) throws -> Expectations {
        var expectations = Self.anything
        try #require(option.set(texts, in: &expectations))
        return expectations
    }

    @Test("Each option sets its expectation and no other", arguments: ExpectationOption.all)
    func set(_ option: ExpectationOption) throws {
        let expectations = try expectations([option.examples().value], of: option)
        #expect(ExpectationOption.all.filter { $0.isSet(in: expectations) }.map(\.name) == [option.name])
    }

    @Test("A malformed value isn't set", arguments: ExpectationOption.all)
    func malformed(_ option: ExpectationOption) throws {
        guard let malformed = try option.examples().malformed else { return }
        var expectations = Self.anything
        #expect(!option.set([malformed], in: &expectations))
        #expect(expectations == Self.anything)
    }

    @Test(
        "A receipt with the value passes; without it or with another one, it is rejected",
        arguments: ExpectationOption.all)
    func compared(_ option: ExpectationOption) throws {
        let values = try option.examples()
        let device = try DeviceIdentifier(text: ExpectationOption.devices.examples().value)
        let known = TestReceipt().with { $0.device = device }
        let types = known.attributes.map(\.type).filter { $0 != AttributeType.creationDate.rawValue }
        let bare = known.with { receipt in for type in types { receipt.overrides[type] = [] } }
        for (receipt, text, passes) in [
            (known, values.value, true), (known, values.other, false), (bare, values.value, false),
        ] {
            func isValid(_ expectations: Expectations) throws -> Bool {
                try ReceiptTestCase.with {
                    $0.receipt = receipt
                    $0.expectations = expectations
                }.report().isValid
            }
            #expect(try isValid(Self.anything))
            #expect(try isValid(expectations([text], of: option)) == passes)
        }
    }

    @Test("An expectation narrows any value and itself, but not another one", arguments: ExpectationOption.all)
    func narrows(_ option: ExpectationOption) throws {
        let values = try option.examples()
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

    @Test("Signed data has an app and an environment; the other options are of receipts only")
    func receiptsOnly() throws {
        var expectations = Self.anything
        for option in ExpectationOption.all {
            try #require(option.set([option.examples().value], in: &expectations))
        }
        #expect(
            ExpectationOption.ofReceiptsOnly(in: expectations).map(\.name)
                == ExpectationOption.all.map(\.name).filter { $0 != "bundle-id" && $0 != "environment" })
    }
}
