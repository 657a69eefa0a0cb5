import AppReceiptValidator
import Testing

@Suite("KnownOrUnknown")
struct KnownOrUnknownTests {
    typealias Provisioning = KnownOrUnknown<UnofficialReceipt.ProvisioningType>

    @Test("A known raw value becomes a known case", arguments: ["Production", "ProductionSandbox", "ProductionVPP"])
    func known(_ text: String) throws {
        let value = try #require(Provisioning(rawValue: text))
        guard case .known(let known) = value else {
            Issue.record("\(value)")
            return
        }
        #expect(known.rawValue == text)
        #expect(value.rawValue == text)
        #expect(value.description == "\(known)")
    }

    @Test("An unknown raw value is kept", arguments: ["ProductionX", "", "production", "a \"b\""])
    func unknown(_ text: String) throws {
        let value = try #require(Provisioning(rawValue: text))
        #expect(value == .unknown(rawValue: text))
        #expect(value.rawValue == text)
        #expect(value.description == "\"\(text)\"")
        #expect(value != .known(value: .production))
        #expect(Set([value, value, .known(value: .production)]).count == 2)
    }
}
