import AppReceiptParsing
import AppReceiptTesting
import Foundation
import Testing

@Suite("Environments")
struct ReceiptEnvironmentTests {
    @Test(
        "The base of an environment is production, sandbox or Xcode",
        arguments: [
            ("Production", .production, false), ("ProductionVPP", .production, true),
            ("ProductionSandbox", .sandbox, false), ("ProductionVPPSandbox", .sandbox, true),
            ("Sandbox", .sandbox, false),
            ("Xcode", .xcode, false),
        ] as [(String, AppStoreEnvironment, Bool)])
    func base(text: String, base: AppStoreEnvironment, isVolumePurchase: Bool) throws {
        let environment = try receipt(attribute(0, DERWriter.utf8String(text))).environment
        #expect(environment?.rawValue == text)
        #expect(environment?.description == text)
        #expect(environment?.base == base)
        #expect(environment?.isVolumePurchase == isVolumePurchase)
    }

    @Test(
        "An unknown environment keeps its text and has no base",
        arguments: ["production", "PRODUCTION", "Production ", "Production\0", "xcode", "Staging"])
    func unknown(text: String) throws {
        let environment = try receipt(attribute(0, DERWriter.utf8String(text))).environment
        #expect(environment?.rawValue == text)
        #expect(environment?.base == nil)
        #expect(environment?.isVolumePurchase == false)
    }

    @Test("The raw values are the texts in receipts")
    func names() {
        #expect(ReceiptEnvironment.production.rawValue == "Production")
        #expect(ReceiptEnvironment.productionSandbox.rawValue == "ProductionSandbox")
        #expect(ReceiptEnvironment.productionVPP.rawValue == "ProductionVPP")
        #expect(ReceiptEnvironment.productionVPPSandbox.rawValue == "ProductionVPPSandbox")
        #expect(ReceiptEnvironment.xcode.rawValue == "Xcode")
    }

    @Test("An environment is a string in JSON")
    func coding() throws {
        let json = try JSONEncoder().encode([ReceiptEnvironment.productionSandbox])
        #expect(String(decoding: json, as: UTF8.self) == #"["ProductionSandbox"]"#)
        #expect(try JSONDecoder().decode([ReceiptEnvironment].self, from: json) == [.productionSandbox])
    }
}
