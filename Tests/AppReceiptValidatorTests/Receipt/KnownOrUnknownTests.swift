import AppReceiptValidator
import Testing

@Suite("KnownOrUnknown")
struct KnownOrUnknownTests {
    typealias Provisioning = KnownOrUnknown<UnofficialReceipt.ProvisioningType>

    @Test("a raw value is known or kept", arguments: ["Production", "ProductionSandbox", "ProductionVPP"])
    func known(_ text: String) throws {
        let value = Provisioning(rawValue: text)
        guard case .known(let known) = value else {
            Issue.record("\(value)")
            return
        }
        #expect(known.rawValue == text)
        #expect(value.rawValue == text)
        #expect(value.description == "\(known)")
    }

    @Test("an unknown one is kept as it is")
    func unknown() {
        let value = Provisioning(rawValue: "ProductionX")
        #expect(value == .unknown(rawValue: "ProductionX"))
        #expect(value.rawValue == "ProductionX")
        #expect(value.description.contains("ProductionX"))
        #expect(value != .known(value: .production))
        #expect(Set([value, value, .known(value: .production)]).count == 2)
    }
}
