import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

@Suite("appreceipt batch")
struct BatchTests {
    private static let root = "Samples/root.pem"

    /// The answers, a line each.
    private func answers(_ text: String) throws -> [[String: Any]] {
        try text.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    private func run(_ input: String, _ options: String...) throws -> Tool {
        try Tool.run(["batch", "-", "--root", Self.root] + options, input: Data(input.utf8))
    }

    private func base64(_ receipt: TestReceipt = TestReceipt()) throws -> String {
        Data(try receipt.signed()).base64EncodedString()
    }

    private func code(_ answer: [String: Any]) -> String? { (answer["failure"] as? [String: Any])?["code"] as? String }

    @Test("each record has an answer, in the order of the input, and the summary counts them")
    func ndjson() throws {
        let good = try base64()
        let input = [
            #"{"receipt":"\#(good)","id":"a"}"#,
            #"{"id":7,"path":"Samples/production-subscriptions.receipt","other":[1,{}]}"#,
            "", "   ", #"{"path":"Samples/forged.receipt"}"#, "nonsense", #"{"path":"/nonexistent"}"#,
            #"{"receipt":"\#(good.replacingOccurrences(of: "/", with: "\\/"))\n"}"#,
            #"{"receipt":"\#(good.dropLast(400))"}"#,
        ].joined(separator: "\n")
        let result = try run(input)
        #expect(result.status == 0)
        let answers = try answers(result.output)
        #expect(answers.map { $0["line"] as? Int } == [1, 2, 5, 6, 7, 8, 9])
        #expect(
            answers.map { $0["verdict"] as? String } == [
                "valid", "valid", "invalid", "error", "error", "valid", "invalid",
            ])
        #expect(answers[0]["id"] as? String == "a")
        #expect(answers[1]["id"] as? Int == 7)
        #expect(answers[2]["id"] is NSNull)
        #expect(
            answers.map { $0["environment"] as? String } == ["sandbox", "production", nil, nil, nil, "sandbox", nil])
        #expect(answers.map(code)[2...4] == ["intermediate-signature-invalid", "line-malformed", "input-unreadable"])
        #expect((answers[2]["failure"] as? [String: Any])?["check"] as? String == "certificate-chain")
        #expect(result.errors.contains("7 records in"))
        #expect(result.errors.contains("3 valid, 2 invalid, 2 without a receipt to judge"))
        #expect(result.errors.contains("1  line-malformed"))
    }

    @Test("what a record expects goes before what the command expects")
    func expectations() throws {
        let good = try base64(
            TestReceipt().with { $0.device = try? DeviceIdentifier(text: "956328D9-CC6A-47F4-BE40-6953FB0AB6C7") })
        let members =
            [
                ("", nil), (#","bundle-id":"com.example.app""#, nil),
                (#","bundle-id":"other""#, "bundle-identifier-mismatch"),
                (#","bundle-id":"""#, nil), (#","bundle-id":null"#, nil),
                (#","app-version":"1""#, nil), (#","app-version":"2""#, "app-version-mismatch"),
                (#","original-app-version":"9""#, "original-app-version-mismatch"),
                (#","environment":"production""#, "environment-mismatch"),
                (#","environment":"production sandbox""#, nil),
                (#","environment":"moon""#, "expectation-malformed"),
                (#","device-id":"956328D9-CC6A-47F4-BE40-6953FB0AB6C7""#, nil),
                (#","device-id":"02:00:00:00:00:01 956328D9-CC6A-47F4-BE40-6953FB0AB6C7""#, nil),
                (#","device-id":"02:00:00:00:00:01""#, "device-hash-mismatch"),
                (#","device-id":"02:00""#, "expectation-malformed"), (#","bundle-id":1"#, "line-malformed"),
            ] as [(String, String?)]
        let input = members.map { #"{"receipt":"\#(good)"\#($0.0)}"# }.joined(separator: "\n")
        let answers = try answers(run(input, "--bundle-id", "com.example.app", "--environment", "sandbox").output)
        #expect(answers.map(code) == members.map(\.1))
        let strict = try self.answers(run(input, "--bundle-id", "com.example.other").output)
        #expect(code(strict[0]) == "bundle-identifier-mismatch")
        #expect(code(strict[1]) == nil)
    }

    @Test("CSV has a header, any order of columns, quotation marks and line breaks within them")
    func csv() throws {
        let good = try base64()
        let lines = Data(try TestReceipt().signed()).base64EncodedString(options: [
            .lineLength64Characters, .endLineWithLineFeed,
        ])
        let rows = [
            "id,other,receipt,path,bundle-id", "1,,\(good),,com.example.app", "\"a,\"\"b\"\"\",x,\"\(good)\",,",
            "3,x,\"\(lines)\",,com.example.app", "4,x,,Samples/forged.receipt,", "5,x,,,", "6,x,\(good),,,,too,many",
            "7,x,\"\(good)\"x,,", "", "8,x,\(good),,other",
        ]
        for lineBreak in ["\n", "\r\n"] {
            let result = try run(rows.joined(separator: lineBreak) + lineBreak)
            #expect(result.status == 0)
            let answers = try answers(result.output)
            let more = lines.filter { $0 == "\n" }.count
            #expect(answers.map { $0["line"] as? Int } == [2, 3, 4, 5 + more, 6 + more, 7 + more, 8 + more, 10 + more])
            #expect(answers.map { $0["id"] as? String }[...3] == ["1", "a,\"b\"", "3", "4"])
            #expect(
                answers.map(code) == [
                    nil, nil, nil, "intermediate-signature-invalid", "line-malformed", "line-malformed",
                    "line-malformed",
                    "bundle-identifier-mismatch",
                ])
        }
        #expect(try run("id,name\n1,x\n").status == 64)
        #expect(try run("\u{FEFF}receipt\n\(good)").output.contains(#""verdict":"valid""#))
        // The last quotation mark is never closed.
        #expect(try answers(run("receipt\n\(good)\n\"\(good)\n").output).map(code) == [nil, "line-malformed"])
    }

    @Test("JSON with a member twice, or two sources, or none, is a malformed line")
    func malformedLines() throws {
        let good = try base64()
        let lines = [
            #"{"receipt":"\#(good)","receipt":"\#(good)"}"#, #"{"receipt":"\#(good)","path":"x"}"#, "{}", "[]",
            "{\"receipt\":1}",
            #"{"receipt":"\#(good)"} x"#, #"{"id":"\ud800","receipt":"\#(good)"}"#, #"{"id":[1],"receipt":"\#(good)"}"#,
            String(repeating: "[", count: 50), #"{"x":\#(String(repeating: "[", count: 50))"#,
        ]
        let answers = try answers(run(lines.joined(separator: "\n"), "--format", "ndjson").output)
        #expect(answers.map(code) == lines.map { _ in "line-malformed" })
    }

    @Test("nothing gives nothing")
    func empty() throws {
        let result = try run("")
        #expect(result.status == 0)
        #expect(result.output.isEmpty)
        #expect(result.errors.contains("0 records"))
    }

    @Test("answers are in order on every number of threads, over many blocks of input")
    func order() throws {
        let receipts = try [base64(), base64(TestReceipt().with { $0.appVersion = "2" }), "MIIx"]
        let input = (0..<400).map { #"{"id":\#($0),"receipt":"\#(receipts[$0 % 3])"}"# }.joined(separator: "\n")
        let one = try run(input, "--jobs", "1")
        #expect(try answers(one.output).map { $0["id"] as? Int } == Array(0..<400))
        #expect(try answers(one.output).map { $0["verdict"] as? String == "valid" } == (0..<400).map { $0 % 3 != 2 })
        for jobs in ["2", "7"] { #expect(try run(input, "--jobs", jobs).output == one.output) }
    }

    @Test("a run that was interrupted anywhere goes on where it stopped, and ends with the same answers")
    func resume() throws {
        let folder = try Folder()
        let good = try base64()
        let input = (0..<100).map { $0 % 10 == 4 ? "" : #"{"id":\#($0),"receipt":"\#(good)"}"# }.joined(separator: "\n")
        let file = folder.url("input").path
        let output = folder.url("output")
        try Data(input.utf8).write(to: URL(fileURLWithPath: file))
        let arguments = ["batch", file, "--root", Self.root, "--output", output.path]
        #expect(try Tool.run(arguments).status == 0)
        let whole = try Data(contentsOf: output)
        #expect(whole.filter { $0 == UInt8(ascii: "\n") }.count == 90)
        for cut in [0, 1, 50, whole.count / 2, whole.count / 2 + 33, whole.count - 1, whole.count] {
            try whole.prefix(cut).write(to: output)
            let resumed = try Tool.run(arguments + ["--resume"])
            #expect(resumed.status == 0)
            #expect(try Data(contentsOf: output) == whole)
            let left = 90 - whole.prefix(cut).filter { $0 == UInt8(ascii: "\n") }.count
            #expect(resumed.errors.contains("\(left) records in"))
        }
        // Without it nothing is overwritten; and what is no output of this command is not gone on with.
        #expect(try Tool.run(arguments).status == 73)
        #expect(try Data(contentsOf: output) == whole)
        try Data("something else\n".utf8).write(to: output)
        #expect(try Tool.run(arguments + ["--resume"]).status == 73)
        #expect(try Data(contentsOf: output) == Data("something else\n".utf8))
    }

    @Test("what receipts say goes into the answers if asked, also of those that are not valid")
    func receipts() throws {
        let good = try base64(
            TestReceipt().with { $0.purchases = [TestPurchase("pro", transaction: "1", at: $0.creationDate)] })
        let input =
            #"{"receipt":"\#(good)"}"# + "\n" + #"{"receipt":"\#(good)","bundle-id":"x"}"# + "\n"
            + #"{"receipt":"AA=="}"#
        let answers = try answers(run(input, "--receipts").output)
        for answer in answers.prefix(2) {
            let receipt = try #require(answer["receipt"] as? [String: Any])
            #expect(receipt["bundleIdentifier"] as? String == "com.example.app")
            #expect((receipt["purchases"] as? [[String: Any]])?.first?["productIdentifier"] as? String == "pro")
            #expect(receipt["attributes"] == nil)
        }
        #expect(answers[2]["receipt"] is NSNull)
        #expect(try self.answers(run(input).output).allSatisfy { $0["receipt"] == nil })
    }

    @Test("wrong usage is told apart from files that cannot be read or written")
    func usage() throws {
        #expect(try Tool.run("batch", "/nonexistent").status == 66)
        #expect(try Tool.run("batch", "Samples").status == 66)
        #expect(try Tool.run("batch", "--resume").status == 64)
        #expect(try Tool.run("batch", "--jobs", "0").status == 64)
        #expect(try Tool.run("batch", "--format", "xml").status == 64)
        #expect(try Tool.run("batch", "--output", "/nonexistent/file").status == 73)
        let full = FileHandle(forWritingAtPath: "/dev/full")
        if let full {
            let input = Data(#"{"receipt":"AA=="}"#.utf8)
            #expect(try Tool.run(["batch", "-"], input: input, output: full).status == 74)
        }
    }
}
