import AppReceiptTesting
import Foundation
import Testing

@Suite("appreceipt: inputs")
struct InputTests {
    private let folder: TemporaryFolder
    private let receipt: String
    private let token: String

    init() throws {
        folder = try TemporaryFolder()
        receipt = try BatchTool.base64()
        token = try TestTransaction("com.example.pro", transaction: "1").signed()
    }

    @Test(
        "A misspelled subcommand ends with 64 and the subcommand that is meant",
        arguments: [
            (["valdate"], "validate"), (["purchase"], "purchases"), (["stroe"], "store"), (["hepl"], "help"),
            (["help", "validat"], "validate"), (["make", "recipt"], "receipt"), (["store", "histroy"], "history"),
            (["help", "store", "fak"], "fake"),
        ])
    func misspelledSubcommand(_ arguments: [String], _ meant: String) throws {
        let argument = try #require(arguments.last)
        for rest in [[], ["receipt"], ["--format", "json"]] {
            let result = try CommandLineTool.run(arguments + rest)
            #expect(result.status == 64)
            #expect(result.output.isEmpty)
            let message = "'\(argument)' is neither a subcommand nor a file. Did you mean '\(meant)'?"
            #expect(result.errors.contains(message))
        }
    }

    @Test("An input whose name resembles a subcommand is read, and one that resembles none is a missing file")
    func inputLikeASubcommand() throws {
        _ = try folder.write("valdate", Array(receipt.utf8))
        let root = CommandLineTool.root.appendingPathComponent("Samples/root.pem").path
        let result = try CommandLineTool.run(["valdate", "--root", root], in: folder.url)
        #expect(result.status == 0)
        #expect(try CommandLineTool.run("receipt-of-ann").status == 66)
        #expect(try CommandLineTool.run("--help").status == 0)
    }

    @Test("JSON with several receipts or tokens has no verdict", arguments: ["validate", "signed-data", "inspect"])
    func severalItems(_ subcommand: String) throws {
        let forged = Data("forged".utf8).base64EncodedString()
        for text in [
            #"{"receipt-data":"\#(forged)","latest_receipt":"\#(receipt)"}"#,
            #"{"signedTransactionInfo":"\#(token)","signedRenewalInfo":"\#(token)"}"#,
        ] {
            let path = try folder.write("request.json", Array(text.utf8))
            let result = try CommandLineTool.run(subcommand, path, "--format", "json")
            #expect(result.status == 64)
            #expect(result.output.isEmpty)
            #expect(result.errors.contains("Contains 2 receipts and tokens"))
            #expect(result.errors.contains("'appreceipt purchases' uses all"))
            #expect(result.errors.contains("'appreceipt batch' validates each"))
        }
    }

    @Test("Several lines of records have no verdict, unlike wrapped base64 and JSON on several lines")
    func severalLines() throws {
        let object = #"{"receipt":"\#(receipt)"}"#
        for lines in [[receipt, receipt], [object, object, object], [token, receipt], [receipt, "", token]] {
            let path = try folder.write("lines", Array(lines.joined(separator: "\r\n").utf8))
            let result = try CommandLineTool.run("validate", path)
            #expect(result.status == 64)
            // The same receipt several times is one receipt.
            let records = lines.filter { !$0.isEmpty }
            let isSame = Set(records).count == 1
            #expect(result.errors.contains("Contains \(records.count) \(isSame ? "lines" : "receipts and tokens")"))
            #expect(result.errors.contains("'appreceipt batch'"))
        }
        let wrapped = Data(try TestReceipt().signed()).base64EncodedString(options: .lineLength76Characters)
        for text in [
            wrapped, "{\n\"receipt\":\n\"\(receipt)\"}\n", "[\n{\"receipt\":\"\(receipt)\"}]", "\(receipt)\n\n",
        ] {
            let path = try folder.write("one", Array(text.utf8))
            #expect(try CommandLineTool.run("validate", path, "--root", "Samples/root.pem").status == 0)
        }
    }

    @Test("Options in the JSON of a request are reported as ignored, but not Apple's environment")
    func ignoredOptions() throws {
        let request = #"{"receipt":"\#(receipt)","bundle_id":"com.other","environment":"sandbox","device-id":null}"#
        let path = try folder.write("request.json", Array(request.utf8))
        for subcommand in ["validate", "inspect", "signed-data", "purchases"] {
            for format in ["text", "json"] {
                let errors = try CommandLineTool.run(subcommand, path, "--format", format).errors
                #expect(errors.contains("ignored 'bundle-id', 'environment' in the JSON"), "\(subcommand)")
                #expect(errors.contains("--bundle-id, --environment."))
                #expect(!errors.contains("device-id"))
            }
        }
        let response = try folder.write(
            "response.json", Array(#"{"latest_receipt":"\#(receipt)","environment":"Sandbox"}"#.utf8))
        #expect(try !CommandLineTool.run("validate", response).errors.contains("ignored"))
    }

    @Test("A second input is an error that names the subcommands for several", arguments: ["validate", "inspect"])
    func secondInput(_ subcommand: String) throws {
        let result = try CommandLineTool.run(subcommand, "Samples/forged.receipt", "Samples/mac-device.receipt")
        #expect(result.status == 64)
        #expect(result.errors.contains("Unexpected argument 'Samples/mac-device.receipt'"))
        #expect(result.errors.contains("'appreceipt purchases'"))
        let help = try CommandLineTool.run(subcommand, "--help")
        #expect(!help.output.contains("others"))
    }

    @Test("A volume purchase without in-app purchases states until when the app is licensed")
    func volumePurchase() throws {
        for subcommand in ["validate", "purchases"] {
            let result = try CommandLineTool.run(
                subcommand, "Samples/volume-purchase.receipt", "--root", "Samples/root.pem")
            #expect(
                result.output.hasPrefix(
                    """
                    No in-app purchases.
                    The app itself is a volume purchase, valid until 2099-12-31 00:00 UTC (production).

                    """))
            // Nothing is stated about an app whose receipt isn't verified.
            let untrusted = try CommandLineTool.run(subcommand, "Samples/volume-purchase.receipt")
            #expect(untrusted.status == 1)
            #expect(!untrusted.output.contains("volume purchase"))
        }
        let later = try CommandLineTool.run(
            "purchases", "Samples/volume-purchase.receipt", "--root", "Samples/root.pem", "--at", "2100-01-01T00:00:00Z"
        )
        #expect(!later.output.contains("is a volume purchase"))
        let personal = try CommandLineTool.run(
            "validate", "Samples/mac-device.receipt", "--root", "Samples/root.pem")
        #expect(!personal.output.contains("volume purchase"))
    }

    @Test("No certificate of an unproven chain is shown as if it were proven")
    func unprovenCertificates() throws {
        let path = try folder.write("token.jws", Array(token.utf8))
        let result = try CommandLineTool.run("validate", path)
        #expect(result.status == 1)
        #expect(result.output.contains("signer, not proven"))
        #expect(result.output.contains("intermediate, not proven"))
    }
}
