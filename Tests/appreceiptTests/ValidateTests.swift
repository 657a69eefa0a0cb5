import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

@Suite("appreceipt validate")
struct ValidateTests {
    private static let root = "Samples/root.pem"

    @Test(
        "the good samples are valid under the root that signed them, and under Apple's they are not",
        arguments: ["production-subscriptions", "mac-device", "volume-purchase"])
    func goodSamples(_ name: String) throws {
        let good = try Tool.run("validate", "Samples/\(name).receipt", "--root", Self.root)
        #expect(good.status == 0)
        #expect(good.output.hasPrefix("VALID – signed under the given root"))
        #expect(good.errors.isEmpty)
        let foreign = try Tool.run("validate", "Samples/\(name).receipt", "--format", "json")
        #expect(foreign.status == 1)
        #expect(try foreign.failure() == ["certificate-chain", "root-not-trusted"])
    }

    @Test("the forged sample is not valid, and the text says what to do")
    func forgedSample() throws {
        let result = try Tool.run("validate", "Samples/forged.receipt", "--root", Self.root)
        #expect(result.status == 1)
        #expect(result.output.hasPrefix("NOT VALID – certificate-chain: "))
        #expect(result.output.contains("[intermediate-signature-invalid]"))
        #expect(result.output.contains("What to do"))
        #expect(result.output.contains("it is not proven"))
    }

    @Test("the Xcode sample is valid only if its certificate is named")
    func xcodeSample() throws {
        let named = try Tool.run(
            "validate", "Samples/xcode.receipt", "--trust-xcode", "Samples/xcode-certificate.cer", "--format", "json")
        #expect(named.status == 0)
        #expect(try named.json()["environment"] as? String == "xcode")
        let unnamed = try Tool.run("validate", "Samples/xcode.receipt", "--format", "json")
        #expect(unnamed.status == 1)
        #expect(try unnamed.failure() == ["certificate-chain", "xcode-not-trusted"])
        let asProduction = try Tool.run(
            "validate", "Samples/xcode.receipt", "--trust-xcode", "Samples/xcode-certificate.cer", "--format", "json",
            "--environment", "production", "--environment", "sandbox")
        #expect(try asProduction.failure() == ["environment", "environment-mismatch"])
    }

    @Test("JSON is one document with exactly the members of the contract, checks in order")
    func jsonShape() throws {
        let result = try Tool.run(
            "validate", "Samples/mac-device.receipt", "--root", Self.root, "--bundle-id", "com.example.garden.mac",
            "--app-version", "4.1.2", "--original-app-version", "3.0", "--environment", "production", "--device-id",
            "02-00-00-00-00-01", "--format", "json")
        #expect(result.status == 0)
        let json = try result.json()
        #expect(json.keys.sorted() == ["checks", "environment", "failure", "receipt", "verdict"])
        #expect(json["verdict"] as? String == "valid")
        #expect(json["environment"] as? String == "production")
        #expect(json["failure"] is NSNull)
        let checks = try #require(json["checks"] as? [[String: Any]])
        #expect(
            checks.map { $0["name"] as? String } == [
                "container", "payload", "certificate-chain", "signature", "bundle-identifier", "environment",
                "app-version", "original-app-version", "device-hash", "expiration",
            ])
        for check in checks {
            #expect(check.keys.sorted() == ["code", "message", "name", "outcome"])
            #expect(check["outcome"] as? String == "passed")
            #expect(check["code"] is NSNull)
        }
        let receipt = try #require(json["receipt"] as? [String: Any])
        #expect(receipt["bundleIdentifier"] as? String == "com.example.garden.mac")
        #expect(receipt["creationDate"] as? String == "2024-07-02T15:04:05Z")
        #expect(receipt["appStoreIdentifier"] as? String == "6400000001")
        #expect(receipt["attributes"] == nil)
    }

    @Test(
        "JSON is one document also for bytes that are no receipt",
        arguments: ["", "hello", "{\"receipt-data\": \"\"}", "0\u{80}"])
    func jsonForAnything(_ text: String) throws {
        let result = try Tool.run("validate", "-", "--format", "json", input: Data(text.utf8))
        #expect(result.status == 1)
        let json = try result.json()
        #expect(json["verdict"] as? String == "invalid")
        #expect(json["receipt"] is NSNull)
        #expect(json["environment"] is NSNull)
        #expect((json["checks"] as? [[String: Any]])?.count == 10)
        #expect(try result.failure()[0] == "container")
    }

    @Test(
        "each expectation that does not hold fails its check with its code",
        arguments: [
            (["--bundle-id", "com.example.other"], "bundle-identifier", "bundle-identifier-mismatch"),
            (["--app-version", "4.1.3"], "app-version", "app-version-mismatch"),
            (["--original-app-version", "3"], "original-app-version", "original-app-version-mismatch"),
            (["--environment", "sandbox"], "environment", "environment-mismatch"),
            (["--device-id", "02:00:00:00:00:02"], "device-hash", "device-hash-mismatch"),
        ])
    func expectations(_ options: [String], _ check: String, _ code: String) throws {
        let arguments = ["validate", "Samples/mac-device.receipt", "--root", Self.root, "--format", "json"]
        #expect(try Tool.run(arguments).status == 0)
        let result = try Tool.run(arguments + options)
        #expect(result.status == 1)
        #expect(try result.failure() == [check, code])
    }

    @Test(
        "one device is told in many ways",
        arguments: ["02:00:00:00:00:01", "02-00-00-00-00-01", "020000000001", "AgAAAAAB"])
    func deviceForms(_ text: String) throws {
        let result = try Tool.run(
            "validate", "Samples/mac-device.receipt", "--root", Self.root, "--device-id", text, "--format", "json")
        #expect(result.status == 0)
    }

    @Test(
        "wrong usage ends with 64",
        arguments: [
            ["validate"], ["validate", "Samples/mac-device.receipt", "--device-id", "02:00:00:00:00"],
            ["validate", "Samples/mac-device.receipt", "--environment", "Production"],
            ["validate", "Samples/mac-device.receipt", "--format", "xml"],
            ["validate", "Samples/mac-device.receipt", "--root", "README.md"],
            ["validate", "Samples/mac-device.receipt", "--nonsense"], ["nonsense"],
        ])
    func wrongUsage(_ arguments: [String]) throws {
        let result = try Tool.run(arguments)
        #expect(result.status == 64)
        #expect(result.output.isEmpty)
        #expect(!result.errors.isEmpty)
    }

    @Test(
        "an unreadable file ends with 66",
        arguments: [
            ["validate", "Samples/none"], ["validate", "Samples/mac-device.receipt", "--root", "Samples/none"],
            ["validate", "Samples/xcode.receipt", "--trust-xcode", "Samples/none"], ["inspect", "Samples/none"],
        ])
    func unreadable(_ arguments: [String]) throws {
        let result = try Tool.run(arguments)
        #expect(result.status == 66)
        #expect(result.output.isEmpty)
        #expect(result.errors.contains("Samples/none"))
    }

    @Test("an app bundle is read by the receipt inside of it; one without is no receipt")
    func appBundle() throws {
        let folder = try Folder()
        let place = folder.url("Garden.app/Contents/_MASReceipt")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        let bundle = folder.url("Garden.app").path
        let without = try Tool.run("validate", bundle, "--root", Self.root, "--format", "json")
        #expect(without.status == 1)
        #expect(try without.failure() == ["container", "input-receipt-missing"])
        try FileManager.default.copyItem(
            at: Tool.root.appendingPathComponent("Samples/mac-device.receipt"),
            to: place.appendingPathComponent("receipt"))
        #expect(try Tool.run("validate", bundle, "--root", Self.root).status == 0)
        #expect(try Tool.run("inspect", bundle).status == 0)
    }

    @Test("nothing in a receipt can steer the terminal")
    func hostileText() throws {
        var receipt = TestReceipt(bundleIdentifier: "com.example.\u{1B}[31mred\u{202E}")
        receipt.purchases = [TestPurchase("evil\nproduct\u{7}", transaction: "1", at: receipt.creationDate)]
        let bytes = Data(try receipt.signed())
        for command in ["validate", "inspect"] {
            let result = try Tool.run([command, "-"], input: bytes)
            #expect(result.output.contains("com.example.\\u{1B}[31mred\\u{202E}"))
            #expect(result.output.contains("evil\\u{A}product\\u{7}"))
            #expect(!result.output.contains("\u{1B}") && !result.output.contains("\u{202E}"))
        }
    }

    @Test("a receipt that expires is judged at now, without being asked")
    func expiration() throws {
        let expired = TestReceipt().with { $0.expirationDate = Date(rfc3339: "2020-01-01T00:00:00Z") }
        let result = try Tool.run(
            "validate", "-", "--root", Self.root, "--format", "json", input: Data(try expired.signed()))
        #expect(result.status == 1)
        #expect(try result.failure() == ["expiration", "receipt-expired"])
    }
}
