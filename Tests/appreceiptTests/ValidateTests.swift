import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import Foundation
import TestSupport
import Testing

@Suite("appreceipt validate")
struct ValidateTests {
    private static let root = "Samples/root.pem"

    @Test(
        "A receipt is validated in any form that people have it in, without naming the subcommand",
        arguments: ["base64", "URL-safe", "quoted", "request", "response", "UTF-16"])
    func forms(_ form: String) throws {
        let receipt = try Data(contentsOf: CommandLineTool.root.appendingPathComponent("Samples/mac-device.receipt"))
        let base64 = receipt.base64EncodedString()
        let input: Data =
            switch form {
            case "URL-safe":
                Data(
                    base64.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
                        .replacingOccurrences(of: "=", with: "").utf8)
            case "quoted": Data("\"\(base64)\"\n".utf8)
            case "request": Data("{\"receipt-data\": \"\(base64)\", \"password\": \"x\"}".utf8)
            case "response": Data("{\"status\": 0, \"latest_receipt\": \"\(base64)\"}".utf8)
            case "UTF-16": try #require("\u{FEFF}\(base64)".data(using: .utf16LittleEndian))
            default: Data(base64.utf8)
            }
        let result = try CommandLineTool.run(["-", "--root", "Samples/root.pem"], input: input)
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("VALID   com.example.garden.mac"))
        #expect(result.errors.isEmpty == (form == "base64"), "\(result.errors)")
        let inspected = try CommandLineTool.run(["inspect", "-"], input: input)
        #expect(inspected.status == 0)
        #expect(inspected.output.contains("com.example.garden.mac"))
    }

    @Test("Each option rejects receipts and tokens without its value", arguments: ExpectationOption.all)
    func rejected(_ option: ExpectationOption) throws {
        let folder = try TemporaryFolder()
        let made = try CommandLineTool.run(
            "make", "transaction", "--bundle-id", "com.example.app", "--product", "pro", "--name", "token", "--out",
            folder.url("").path)
        #expect(made.status == 0)
        let token = [folder.url("token.jws").path, "--root", folder.url("signed-data-root.pem").path]
        let receipt = ["Samples/mac-device.receipt", "--root", Self.root]
        #expect(try CommandLineTool.run(receipt).status == 0)
        #expect(try CommandLineTool.run(token).status == 0)
        let (_, other, malformed) = try option.examples()
        #expect(try CommandLineTool.run(receipt + ["--\(option.name)", other]).status == 1)
        #expect(
            try CommandLineTool.run(token + ["--\(option.name)", other]).status
                == (option.appliesToReceiptsOnly ? 64 : 1))
        guard let malformed else { return }
        #expect(try CommandLineTool.run(receipt + ["--\(option.name)", malformed]).status == 64)
    }

    @Test("A token is validated too, and options that only receipts have are usage errors")
    func tokens() throws {
        let folder = try TemporaryFolder()
        let made = try CommandLineTool.run(
            "make", "transaction", "--bundle-id", "com.example.app", "--product", "pro", "--name", "purchase", "--out",
            folder.url("").path)
        #expect(made.status == 0)
        let (token, root) = (folder.url("purchase.jws").path, folder.url("signed-data-root.pem").path)
        let valid = try CommandLineTool.run(token, "--root", root, "--bundle-id", "com.example.app")
        #expect(valid.status == 0, "\(valid.errors)")
        #expect(valid.output.contains("VALID   "))
        #expect(try CommandLineTool.run(token, "--root", root, "--bundle-id", "com.example.other").status == 1)
        let device = try CommandLineTool.run(token, "--root", root, "--device-id", "02:00:00:00:00:01")
        #expect(device.errors.contains("--device-id: Only receipts have it."))
    }

    @Test("An unreadable input has one failed check, and no lines about the checks that need it")
    func unreadable() throws {
        let result = try CommandLineTool.run(["-"], input: Data("junk".utf8))
        #expect(result.status == 1)
        #expect(!result.output.contains("Not possible"))
        #expect(!result.output.contains("is expected"))
        #expect(result.output.contains("[input-unrecognized]"))
    }

    @Test("An argument that is neither a subcommand nor a file is an unreadable file")
    func unknownWord() throws {
        let result = try CommandLineTool.run("nonsense")
        #expect(result.status == 66)
        #expect(result.errors.contains("nonsense: No such file or directory"))
    }

    @Test("Without arguments, the command shows its help")
    func help() throws {
        let result = try CommandLineTool.run()
        #expect(result.status == 0)
        #expect(result.output.contains("SUBCOMMANDS:"))
    }

    @Test("Standard input can be named once")
    func standardInputTwice() throws {
        let root = try Data(contentsOf: CommandLineTool.root.appendingPathComponent("Samples/root.pem"))
        let result = try CommandLineTool.run(["validate", "-", "--root", "-"], input: root)
        #expect(result.status == 66)
        #expect(result.errors.contains("Standard input can be read only once"))
    }

    @Test(
        "The valid samples are valid under their root, and invalid under Apple's",
        arguments: ["production-subscriptions", "mac-device", "volume-purchase"])
    func goodSamples(_ name: String) throws {
        let good = try CommandLineTool.run("validate", "Samples/\(name).receipt", "--root", Self.root)
        #expect(good.status == 0)
        #expect(
            good.output.hasPrefix("VALID   com.example.garden") || good.output.contains("\nVALID   com.example.garden"))
        #expect(good.output.contains(", production\nSigned under the root passed with --root. Not checked: "))
        #expect(good.errors.isEmpty)
        let foreign = try CommandLineTool.run("validate", "Samples/\(name).receipt", "--format", "json")
        #expect(foreign.status == 1)
        #expect(try foreign.failure() == ["certificate-chain", "root-not-trusted"])
    }

    @Test("The forged sample is invalid, and the text states a remedy and where it is documented")
    func forgedSample() throws {
        let result = try CommandLineTool.run("validate", "Samples/forged.receipt", "--root", Self.root)
        #expect(result.status == 1)
        #expect(result.output.hasPrefix("NOT VALID   certificate-chain: "))
        #expect(result.output.contains("[intermediate-signature-invalid]"))
        #expect(result.output.contains("What to do"))
        #expect(result.output.contains("arrives with the data.\n  See docs/errors.md#intermediate-signature-invalid\n"))
        #expect(result.output.contains("isn't proven"))
    }

    @Test("The Xcode sample is valid only if its certificate is passed")
    func xcodeSample() throws {
        let named = try CommandLineTool.run(
            "validate", "Samples/xcode.receipt", "--trust-xcode", "Samples/xcode-certificate.cer", "--format", "json")
        #expect(named.status == 0)
        #expect(try named.json()["environment"] as? String == "xcode")
        let unnamed = try CommandLineTool.run("validate", "Samples/xcode.receipt", "--format", "json")
        #expect(unnamed.status == 1)
        #expect(try unnamed.failure() == ["certificate-chain", "xcode-not-trusted"])
        let asProduction = try CommandLineTool.run(
            "validate", "Samples/xcode.receipt", "--trust-xcode", "Samples/xcode-certificate.cer", "--format", "json",
            "--environment", "production", "--environment", "sandbox")
        #expect(try asProduction.failure() == ["environment", "environment-mismatch"])
    }

    @Test("JSON is one document with exactly the members of the contract, and the checks in order")
    func jsonShape() throws {
        let folder = try TemporaryFolder()
        let device = try ExpectationOption.devices.examples().value
        let made = try CommandLineTool.run(
            "make", "--bundle-id", "com.example.app", "--device-id", device, "--out", folder.path)
        #expect(made.status == 0)
        let options = try ExpectationOption.all.flatMap { ["--\($0.name)", try $0.examples().value] }
        let result = try CommandLineTool.run(
            ["validate", "\(folder.path)/receipt", "--root", "\(folder.path)/root.pem", "--format", "json"] + options)
        #expect(result.status == 0)
        let json = try result.json()
        #expect(json.keys.sorted() == ["checks", "environment", "failure", "products", "receipt", "verdict"])
        #expect(json["verdict"] as? String == "valid")
        #expect(json["environment"] as? String == "sandbox")
        #expect(json["failure"] is NSNull)
        let checks = try #require(json["checks"] as? [[String: Any]])
        #expect(checks.map { $0["name"] as? String } == ValidationCheck.receiptChecks.map(\.rawValue))
        for check in checks {
            #expect(check.keys.sorted() == ["code", "message", "name", "outcome"])
            #expect(check["outcome"] as? String == "passed")
            #expect(check["code"] is NSNull)
        }
        let receipt = try #require(json["receipt"] as? [String: Any])
        #expect(receipt["bundleIdentifier"] as? String == "com.example.app")
        #expect(receipt["creationDate"] as? String == "2024-07-02T15:04:05Z")
        #expect(receipt["appStoreIdentifier"] as? String == "0")
        #expect(receipt["attributes"] == nil)
    }

    @Test(
        "JSON is one document even if the bytes aren't a receipt",
        arguments: ["", "hello", "{\"receipt-data\": \"\"}", "0\u{80}"])
    func jsonForAnything(_ text: String) throws {
        let result = try CommandLineTool.run("validate", "-", "--format", "json", input: Data(text.utf8))
        #expect(result.status == 1)
        let json = try result.json()
        #expect(json["verdict"] as? String == "invalid")
        #expect(json["receipt"] is NSNull)
        #expect(json["environment"] is NSNull)
        #expect((json["checks"] as? [[String: Any]])?.count == ValidationCheck.receiptChecks.count)
        #expect(try result.failure()[0] == "container")
    }

    @Test(
        "Each unmet expectation fails its check with its code",
        arguments: [
            (["--bundle-id", "com.example.other"], "bundle-identifier", "bundle-identifier-mismatch"),
            (["--app-version", "4.1.3"], "app-version", "app-version-mismatch"),
            (["--original-app-version", "3"], "original-app-version", "original-app-version-mismatch"),
            (["--environment", "sandbox"], "environment", "environment-mismatch"),
            (["--device-id", "02:00:00:00:00:02"], "device-hash", "device-hash-mismatch"),
        ])
    func expectations(_ options: [String], _ check: String, _ code: String) throws {
        let arguments = ["validate", "Samples/mac-device.receipt", "--root", Self.root, "--format", "json"]
        #expect(try CommandLineTool.run(arguments).status == 0)
        let result = try CommandLineTool.run(arguments + options)
        #expect(result.status == 1)
        #expect(try result.failure() == [check, code])
    }

    @Test(
        "A device identifier can be written in several forms",
        arguments: ["02:00:00:00:00:01", "02-00-00-00-00-01", "020000000001", "AgAAAAAB"])
    func deviceForms(_ text: String) throws {
        let result = try CommandLineTool.run(
            "validate", "Samples/mac-device.receipt", "--root", Self.root, "--device-id", text, "--format", "json")
        #expect(result.status == 0)
    }

    @Test(
        "Wrong usage ends with 64",
        arguments: [
            ["validate"], ["validate", "Samples/mac-device.receipt", "--device-id", "02:00:00:00:00"],
            ["validate", "Samples/mac-device.receipt", "--environment", "Production"],
            ["validate", "Samples/mac-device.receipt", "--format", "xml"],
            ["validate", "Samples/mac-device.receipt", "--root", "README.md"],
            ["validate", "Samples/mac-device.receipt", "--nonsense"],
            ["validat", "Samples/mac-device.receipt"],
        ])
    func wrongUsage(_ arguments: [String]) throws {
        let result = try CommandLineTool.run(arguments)
        #expect(result.status == 64)
        #expect(result.output.isEmpty)
        #expect(!result.errors.isEmpty)
    }

    @Test(
        "An unreadable file ends with 66",
        arguments: [
            ["validate", "Samples/none"], ["validate", "Samples/mac-device.receipt", "--root", "Samples/none"],
            ["validate", "Samples/xcode.receipt", "--trust-xcode", "Samples/none"], ["inspect", "Samples/none"],
        ])
    func unreadable(_ arguments: [String]) throws {
        let result = try CommandLineTool.run(arguments)
        #expect(result.status == 66)
        #expect(result.output.isEmpty)
        #expect(result.errors.contains("Samples/none"))
    }

    @Test("The receipt inside an app bundle is read; a bundle without one is invalid")
    func appBundle() throws {
        let folder = try TemporaryFolder()
        let place = folder.url("Garden.app/Contents/_MASReceipt")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        let bundle = folder.url("Garden.app").path
        let without = try CommandLineTool.run("validate", bundle, "--root", Self.root, "--format", "json")
        #expect(without.status == 1)
        #expect(try without.failure() == ["container", "input-receipt-missing"])
        try FileManager.default.copyItem(
            at: CommandLineTool.root.appendingPathComponent("Samples/mac-device.receipt"),
            to: place.appendingPathComponent("receipt"))
        #expect(try CommandLineTool.run("validate", bundle, "--root", Self.root).status == 0)
        #expect(try CommandLineTool.run("inspect", bundle).status == 0)
    }

    @Test("A receipt can't control the terminal")
    func hostileText() throws {
        var receipt = TestReceipt(bundleIdentifier: "com.example.\u{1B}[31mred\u{202E}")
        receipt.purchases = [TestPurchase("evil\nproduct\u{7}", transaction: "1", at: receipt.creationDate)]
        let bytes = Data(try receipt.signed())
        for command in ["validate", "inspect"] {
            let result = try CommandLineTool.run([command, "-"], input: bytes)
            #expect(result.output.contains("com.example.\\u{1B}[31mred\\u{202E}"))
            #expect(result.output.contains("evil\\u{A}product\\u{7}"))
            #expect(!result.output.contains("\u{1B}"))
            #expect(!result.output.contains("\u{202E}"))
        }
    }

    @Test("Text shows only the beginning of long values")
    func hugeText() throws {
        var receipt = TestReceipt(bundleIdentifier: String(repeating: "a", count: 1_000_000))
        receipt.purchases = (0..<200).map { TestPurchase("pro", transaction: "\($0)", at: receipt.creationDate) }
        receipt.purchases[7].productIdentifier = String(repeating: "b", count: 100_000)
        let bytes = Data(try receipt.signed())
        for arguments in [["validate", "-", "--bundle-id", "com.example.app", "--raw"], ["inspect", "-", "--raw"]] {
            let result = try CommandLineTool.run(arguments, input: bytes)
            #expect(result.output.contains("aaaa…"))
            #expect(result.output.contains("bbbb…"))
            #expect(result.output.utf8.count < 2_000_000)
        }
    }

    @Test("JSON escapes terminal control characters and decodes to the same text")
    func harmlessJSON() throws {
        let name = "com.example.\u{9B}31m\u{202E}\u{2028}"
        let bytes = Data(try TestReceipt(bundleIdentifier: name).signed())
        for command in ["validate", "inspect"] {
            let result = try CommandLineTool.run([command, "-", "--format", "json"], input: bytes)
            #expect(!result.output.unicodeScalars.contains { ["\u{9B}", "\u{202E}", "\u{2028}"].contains($0) })
            let json = try result.json()
            let receipt = json["receipt"] as? [String: Any] ?? json
            #expect(receipt["bundleIdentifier"] as? String == name)
        }
    }

    @Test("Base64 whose plus signs became spaces is identified")
    func spacesForPlus() throws {
        let sample = try Data(contentsOf: CommandLineTool.root.appendingPathComponent("Samples/mac-device.receipt"))
        let text = sample.base64EncodedString()
        let good = try CommandLineTool.run("validate", "-", "--root", Self.root, input: Data(text.utf8))
        #expect(good.status == 0)
        let spoiled = text.replacingOccurrences(of: "+", with: " ")
        let result = try CommandLineTool.run(
            "validate", "-", "--root", Self.root, "--format", "json", input: Data(spoiled.utf8))
        #expect(try result.failure() == ["container", "input-base64-malformed"])
        #expect(result.output.contains("space in the middle of a line"))
    }

    @Test("One of several devices must match, and the report states which")
    func severalDevices() throws {
        let arguments = [
            "validate", "Samples/mac-device.receipt", "--root", Self.root, "--device-id", "02:00:00:00:00:09",
        ]
        #expect(try CommandLineTool.run(arguments).status == 1)
        let both = try CommandLineTool.run(arguments + ["--device-id", "02:00:00:00:00:01"])
        #expect(both.status == 0)
        #expect(both.output.contains("identifier 2 of 2"))
    }

    @Test("An environment is reported only if the signature proves it")
    func environmentOfForgery() throws {
        let forged = try CommandLineTool.run(
            "validate", "Samples/forged.receipt", "--root", Self.root, "--format", "json")
        #expect(try forged.json()["environment"] is NSNull)
        let otherApp = try CommandLineTool.run(
            "validate", "Samples/mac-device.receipt", "--root", Self.root, "--format", "json", "--bundle-id", "x")
        #expect(try otherApp.json()["environment"] as? String == "production")
    }

    @Test("Remedies name the options and subcommands that help")
    func advice() throws {
        let untrusted = try CommandLineTool.run("validate", "Samples/mac-device.receipt")
        #expect(untrusted.output.contains("--root FILE"))
        let xcode = try CommandLineTool.run("validate", "Samples/xcode.receipt")
        #expect(xcode.output.contains("--trust-xcode FILE"))
        let token = try TestTransaction("com.example.pro", transaction: "1").signed()
        #expect(try CommandLineTool.run("validate", token).output.contains("--root apple adds them"))
        let receipt = try CommandLineTool.run("signed-data", "Samples/mac-device.receipt")
        #expect(receipt.output.contains("use 'appreceipt validate'"))
        let huge = Data(repeating: 0x41, count: ReceiptLimits.default.maxInputBytes + 1)
        let tooLarge = try CommandLineTool.run("validate", "-", input: huge)
        #expect(tooLarge.output.contains("The limits of this command can't be changed."))
        #expect(!tooLarge.output.contains("in Limits"))
        let kind = try CommandLineTool.run("signed-data", token, "--kind", "notification")
        #expect(kind.output.contains("Leave out --kind, or pass the right kind."))
    }

    #if os(Linux)
    @Test("A verdict that can't be written isn't a success", arguments: ["validate", "inspect"])
    func fullDisk(_ command: String) throws {
        let full = try FileHandle(forWritingTo: URL(fileURLWithPath: "/dev/full"))
        let result = try CommandLineTool.run([command, "Samples/mac-device.receipt"], output: full)
        #expect(result.status == 74)
        #expect(result.errors.contains("standard output"))
    }
    #endif

    @Test("A receipt's expiration date is compared with the current time")
    func expiration() throws {
        let expired = TestReceipt().with { $0.expirationDate = Date(rfc3339: "2020-01-01T00:00:00Z") }
        let result = try CommandLineTool.run(
            "validate", "-", "--root", Self.root, "--format", "json", input: Data(try expired.signed()))
        #expect(result.status == 1)
        #expect(try result.failure() == ["expiration", "receipt-expired"])
    }
}
