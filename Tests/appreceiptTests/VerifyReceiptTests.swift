import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

@Suite("appreceipt verify-receipt")
struct VerifyReceiptTests {
    private static let root = ["--root", "Samples/root.pem"]

    private static func sample(_ name: String, _ members: [String: Any] = [:]) throws -> Data {
        let receipt = try Data(contentsOf: CommandLineTool.root.appendingPathComponent("Samples/\(name).receipt"))
        let request = members.merging(["receipt-data": receipt.base64EncodedString()]) { $1 }
        return try JSONSerialization.data(withJSONObject: request)
    }

    private static func run(
        _ environment: String, _ input: Data, _ arguments: [String] = root
    ) throws -> (status: Int32, json: [String: Any], errors: String) {
        let result = try CommandLineTool.run(
            ["verify-receipt", "--environment", environment] + arguments, input: input)
        return (result.status, try result.json(), result.errors)
    }

    @Test("A valid receipt gets status 0 and exit status 0, from standard input or a file")
    func answers() throws {
        let request = try Self.sample("production-subscriptions")
        let result = try Self.run("production", request)
        #expect(result.status == 0)
        #expect(result.json["status"] as? Int == 0)
        #expect(result.json["environment"] as? String == "Production")
        #expect((result.json["latest_receipt_info"] as? [Any])?.isEmpty == false)
        #expect(result.errors.isEmpty)
        let folder = try TemporaryFolder()
        let file = folder.url("request.json")
        try request.write(to: file)
        let fromFile = try CommandLineTool.run(
            ["verify-receipt", file.path, "--environment", "both"] + Self.root)
        #expect(fromFile.status == 0)
        #expect(fromFile.output.hasPrefix("{\n  \"status\" : 0,\n  \"environment\" : \"Production\",\n"))
        #expect(fromFile.output.hasSuffix("}\n"))
    }

    @Test("With --renewal-info always, every subscription is in pending_renewal_info")
    func renewalInfo() throws {
        let request = try Self.sample("production-subscriptions")
        #expect(try Self.run("both", request).json["pending_renewal_info"] == nil)
        let json = try Self.run("both", request, Self.root + ["--renewal-info", "always"]).json
        let elements = json["pending_renewal_info"] as? [[String: String]]
        #expect(
            Set(elements?.map { $0["product_id"] ?? "" } ?? [])
                == ["com.example.garden.plus.monthly", "com.example.garden.weather"])
        #expect(elements?.allSatisfy { $0["auto_renew_status"] == nil } == true)
    }

    @Test("Every failure is one document with its status, and the reason is only on standard error")
    func failures() throws {
        let good = try Self.sample("production-subscriptions")
        let rows: [(String, Data, [String], Int, String)] = [
            ("sandbox", good, Self.root, 21008, "production-receipt-in-sandbox"),
            ("both", good, [], 21003, "root-not-trusted"),
            ("both", try Self.sample("forged"), Self.root, 21003, "intermediate-signature-invalid"),
            ("both", good, Self.root + ["--bundle-id", "com.example.other"], 21003, "bundle-identifier-mismatch"),
            ("both", Data(), Self.root, 21000, "request-malformed"),
            ("both", Data("{\"receipt-data\": 1}".utf8), Self.root, 21002, "receipt-data-mistyped"),
            ("production", Data("{\"receipt-data\": \"TUlJ\"}".utf8), Self.root, 21002, "input-unrecognized"),
        ]
        for (environment, input, arguments, status, code) in rows {
            let result = try Self.run(environment, input, arguments)
            #expect(result.status == 1)
            #expect(result.json as? [String: Int] == ["status": status])
            #expect(result.errors.contains("\(status): "), "\(result.errors)")
            #expect(result.errors.contains("[\(code)"), "\(result.errors)")
        }
        let sandbox = try Self.run("sandbox", good)
        #expect(sandbox.errors.contains("Pass --environment production or both."))
    }

    @Test("Xcode receipts are accepted in the sandbox if their certificate is trusted")
    func xcode() throws {
        let trust = ["--trust-xcode", "Samples/xcode-certificate.cer"]
        let request = try Self.sample("xcode")
        #expect(try Self.run("sandbox", request, trust).json["environment"] as? String == "Xcode")
        #expect(try Self.run("production", request, trust).json["status"] as? Int == 21007)
        #expect(try Self.run("both", request, trust).json["status"] as? Int == 21003)
        #expect(try Self.run("sandbox", request, []).json["status"] as? Int == 21003)
        let remedy =
            "For a receipt from Xcode, pass --environment sandbox, and Xcode's certificate with --trust-xcode FILE."
        #expect(try Self.run("production", request, trust).errors.contains(remedy))
        #expect(
            try Self.run("both", request, trust).errors.contains("accepted only if the sandbox is the only environment")
        )
    }

    @Test("The password is compared with the only line of its file")
    func password() throws {
        let folder = try TemporaryFolder()
        let file = folder.url("secret")
        try Data("0123456789abcdef\n".utf8).write(to: file)
        let options = Self.root + ["--password-file", file.path]
        let right = try Self.sample("production-subscriptions", ["password": "0123456789abcdef"])
        #expect(try Self.run("both", right, options).status == 0)
        for members in [[:], ["password": "0123456789abcdef\n"], ["password": ""]] as [[String: Any]] {
            let result = try Self.run("both", try Self.sample("production-subscriptions", members), options)
            #expect(result.status == 1)
            #expect(result.json["status"] as? Int == 21004)
            #expect(!result.errors.contains("0123456789abcdef"))
        }
        let utf16 = "0\u{0}1\u{0}2\u{0}"
        for contents in [
            "\n", "0123456789abcdef\nanother line\n", " 0123456789abcdef\n", "\u{FEFF}0123456789abcdef", utf16,
            String(repeating: "a", count: 4097),
        ] {
            try Data(contents.utf8).write(to: file)
            let rejected = try CommandLineTool.run(["verify-receipt", "--environment", "both"] + options, input: right)
            #expect(rejected.status == 64)
            #expect(rejected.output.isEmpty)
            #expect(!rejected.errors.contains("0123456789abcdef"))
        }
    }

    @Test("A transaction receipt of test data is accepted if its intermediate is passed")
    func transactionReceipt() throws {
        let folder = try TemporaryFolder()
        let (root, intermediate) = (folder.url("root"), folder.url("intermediate"))
        let pki = TestPKI.transactionReceipts
        try Data(pki.root.der()).write(to: root)
        try Data(try pki.intermediate.pem().utf8).write(to: intermediate)
        let receipt = try TestTransactionReceipt("com.example.pro", transaction: "1").signed()
        let request = Data("{\"receipt-data\": \"\(Data(receipt).base64EncodedString())\"}".utf8)
        let options = ["--root", root.path]
        let rejected = try Self.run("both", request, options)
        #expect(rejected.json["status"] as? Int == 21003)
        #expect(rejected.errors.contains("transaction-receipt-intermediate-missing"))
        let answered = try Self.run("both", request, options + ["--transaction-intermediate", intermediate.path])
        #expect(answered.status == 0)
        #expect((answered.json["receipt"] as? [String: Any])?["bid"] as? String == "com.example.app")
    }

    @Test(
        "Wrong usage ends with 64 and an unreadable file with 66, without a document",
        arguments: [
            (["verify-receipt"], 64), (["verify-receipt", "--environment", "xcode"], 64),
            (["verify-receipt", "--environment", "both", "--root", "README.md"], 64),
            (["verify-receipt", "--environment", "both", "--transaction-intermediate", "README.md"], 64),
            (["verify-receipt", "missing.json", "--environment", "both"], 66),
            (["verify-receipt", "--environment", "both", "--password-file", "missing"], 66),
            (["verify-receipt", "--environment", "both", "--transaction-intermediate", "missing"], 66),
        ] as [([String], Int32)])
    func usage(_ arguments: [String], _ status: Int32) throws {
        let result = try CommandLineTool.run(arguments)
        #expect(result.status == status)
        #expect(result.output.isEmpty)
        #expect(!result.errors.isEmpty)
    }
}
