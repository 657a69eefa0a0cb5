import AppReceiptTesting
import Foundation
import Testing

/// Runs of `appreceipt batch` that trust the test kit's roots.
struct BatchTool {
    let folder: TemporaryFolder
    private let roots: [String]

    init() throws {
        folder = try TemporaryFolder()
        let root = try folder.write("signed-data-root.pem", Array(TestPKI.signedData.root.pem().utf8))
        roots = ["--root", "Samples/root.pem", "--root", root]
    }

    /// Runs with an input on standard input.
    func run(_ input: String, _ options: String...) throws -> CommandLineTool {
        try CommandLineTool.run(["batch", "-"] + roots + options, input: Data(input.utf8))
    }

    /// Runs with an input file.
    func run(file: String, _ options: [String]) throws -> CommandLineTool {
        try CommandLineTool.run(["batch", file] + roots + options)
    }

    /// The code of each result, or else its verdict.
    func outcomes(_ input: String, _ options: String...) throws -> [String] {
        let result = try CommandLineTool.run(["batch", "-"] + roots + options, input: Data(input.utf8))
        #expect(result.status == 0, "\(result.errors)")
        return try objects(result.output).map { object in
            (object["failure"] as? [String: Any])?["code"] as? String ?? object["verdict"] as? String ?? ""
        }
    }

    /// The JSON objects, one per line.
    func objects(_ text: String) throws -> [[String: Any]] {
        try text.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    static func base64(_ receipt: TestReceipt = TestReceipt()) throws -> String {
        Data(try receipt.signed()).base64EncodedString()
    }
}
