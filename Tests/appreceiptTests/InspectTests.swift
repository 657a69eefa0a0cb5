import AppReceiptKit
import Foundation
import Testing

@Suite("appreceipt inspect")
struct InspectTests {
    @Test("The text states that nothing was verified, and shows the receipt and its purchases")
    func text() throws {
        let result = try CommandLineTool.run("inspect", "Samples/production-subscriptions.receipt")
        #expect(result.status == 0)
        #expect(result.output.hasPrefix("NOT VERIFIED"))
        #expect(result.output.contains("com.example.garden.plus.monthly"))
        #expect(result.output.contains("Purchases (10)"))
        #expect(!result.output.contains("Certificates"))
    }

    @Test("The option --raw shows every attribute, and --certificates the chain")
    func rawAndCertificates() throws {
        let result = try CommandLineTool.run(
            "inspect", "Samples/production-subscriptions.receipt", "--raw", "--certificates")
        #expect(result.output.contains("Attributes of transaction 550000000000010"))
        #expect(result.output.contains("AppReceiptTesting Root CA"))
    }

    @Test("JSON with --raw decodes to the same receipt as the bytes")
    func jsonDecodes() throws {
        let result = try CommandLineTool.run(
            "inspect", "Samples/production-subscriptions.receipt", "--format", "json", "--raw")
        let decoded = try JSONDecoder().decode(AppReceipt.self, from: Data(result.output.utf8))
        let file = CommandLineTool.root.appendingPathComponent("Samples/production-subscriptions.receipt")
        #expect(decoded == (try AppReceipt(parsing: Array(try Data(contentsOf: file)))))
        #expect(decoded.purchases.count == 10)
    }

    @Test("JSON states that nothing was verified, and lists certificates if requested")
    func json() throws {
        let json = try CommandLineTool.run(
            "inspect", "Samples/mac-device.receipt", "--format", "json", "--certificates"
        ).json()
        #expect(json["verified"] as? Bool == false)
        #expect(json["bundleIdentifier"] as? String == "com.example.garden.mac")
        #expect(json["downloadIdentifier"] as? String == "502000000000000001")
        let roles = (json["certificates"] as? [[String: Any]])?.map { $0["role"] as? String }
        #expect(roles == ["signer", "unused", "unused"])
    }

    @Test("An input that isn't a receipt ends with 1 and is identified")
    func noReceipt() throws {
        let transaction = try CommandLineTool.run("inspect", "-", input: Data("{\n\t\"signature\" = \"AA\";\n}".utf8))
        #expect(transaction.status == 1)
        #expect(transaction.output.isEmpty)
        #expect(transaction.errors.contains("[transaction-receipt-incomplete]"))
        #expect(transaction.errors.contains("See docs/errors.md#transaction-receipt-incomplete\n"))
        let json = try CommandLineTool.run("inspect", "-", "--format", "json", input: Data("hello".utf8))
        #expect(json.status == 1)
        #expect(try json.failure() == ["container", "input-unrecognized"])
        let failure = try #require(try json.json()["failure"] as? [String: Any])
        #expect(failure["remedy"] as? String == ReceiptError.Code.inputUnrecognized.remedy)
        #expect(failure["documentation"] as? String == "docs/errors.md#input-unrecognized")
        let token = try CommandLineTool.run("inspect", "eyJhbGciOiJFUzI1NiJ9.e30.AAAA", "--format", "json")
        let malformed = try #require(try token.json()["failure"] as? [String: Any])
        #expect(malformed["documentation"] as? String == "docs/errors.md#token-truncated")
        #expect((malformed["remedy"] as? String)?.isEmpty == false)
    }
}
