import AppReceiptKit
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing

@Suite("appreceipt batch")
struct BatchTests {
    private static let root = "Samples/root.pem"

    /// The results, one per line.
    private func answers(_ text: String) throws -> [[String: Any]] {
        try text.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    private func run(_ input: String, _ options: String...) throws -> CommandLineTool {
        try CommandLineTool.run(["batch", "-", "--root", Self.root] + options, input: Data(input.utf8))
    }

    private func base64(_ receipt: TestReceipt = TestReceipt()) throws -> String {
        Data(try receipt.signed()).base64EncodedString()
    }

    private func code(_ answer: [String: Any]) -> String? { (answer["failure"] as? [String: Any])?["code"] as? String }

    @Test("The help names every member with a receipt or token, and what to send instead of unsigned JSON")
    func help() throws {
        let words = try CommandLineTool.run("batch", "--help").output.split { " ,\n".contains($0) }.map(String.init)
        for member in EvidenceInput.members { #expect(words.contains(member)) }
        #expect(words.contains("(jsonRepresentation)"))
    }

    @Test("Each record has a result, in the order of the input, and the summary counts them")
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
        let failures = answers.map { $0["failure"] as? [String: Any] }
        #expect(failures[2]?["check"] as? String == "certificate-chain")
        #expect((failures[2]?["remedy"] as? String)?.contains("--root FILE") == true)
        #expect(failures[3]?["remedy"] is NSNull)
        #expect((failures[4]?["remedy"] as? String)?.isEmpty == false)
        #expect(
            failures[2...4].map { $0?["documentation"] as? String } == [
                "docs/errors.md#intermediate-signature-invalid", "docs/errors.md#line-malformed",
                "docs/errors.md#input-unreadable",
            ])
        #expect(result.errors.contains("7 records in"))
        #expect(result.errors.contains("3 valid, 2 invalid, 2 not validated"))
        #expect(result.errors.contains("1  line-malformed"))
    }

    @Test("Each expectation of a record is compared with its receipt")
    func expectations() throws {
        let good = try base64(
            TestReceipt().with { $0.device = try? DeviceIdentifier(text: "956328D9-CC6A-47F4-BE40-6953FB0AB6C7") })
        let members =
            [
                ("", nil), (#","bundle-id":"com.example.app""#, nil),
                (#","bundle-id":"other""#, "bundle-identifier-mismatch"),
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
        #expect(try answers(run(input).output).map(code) == members.map(\.1))
        let strict = try answers(run(input, "--bundle-id", "com.example.other").output)
        #expect(code(strict[0]) == "bundle-identifier-mismatch")
        #expect(code(strict[1]) == "option-conflict")
    }

    /// An option of the command, the option in the record, and the code of the result.
    private static let narrowing: [(options: [String], member: String, values: [String], code: String?)] = [
        (["--environment", "production"], "environment", ["sandbox"], "option-conflict"),
        (["--environment", "production"], "environment", ["production", "sandbox"], "option-conflict"),
        (["--environment", "production"], "environment", ["production"], "environment-mismatch"),
        (["--environment", "production", "--environment", "sandbox"], "environment", ["sandbox"], nil),
        (["--environment", "production", "--environment", "sandbox"], "environment", ["sandbox", "production"], nil),
        (
            ["--environment", "production", "--environment", "sandbox"], "environment", ["production"],
            "environment-mismatch"
        ),
        (["--environment", "production", "--environment", "sandbox"], "environment", ["xcode"], "option-conflict"),
        (["--bundle-id", "com.example.app"], "bundle-id", ["com.example.app"], nil),
        (["--bundle-id", "com.example.app"], "bundle-id", ["com.example.App"], "option-conflict"),
        (["--bundle-id", "com.example.other"], "bundle-id", ["com.example.app"], "option-conflict"),
        // The Kelvin sign, which equals a K but has other bytes.
        (["--bundle-id", "com.example.K"], "bundle-id", ["com.example.\u{212A}"], "option-conflict"),
        (["--app-version", "1"], "app-version", ["1"], nil),
        (["--app-version", "1"], "app-version", ["1.0"], "option-conflict"),
        (["--original-app-version", "1.0"], "original-app-version", ["2"], "option-conflict"),
        (["--device-id", "02:00:00:00:00:01"], "device-id", ["02-00-00-00-00-01"], "device-hash-mismatch"),
        (
            ["--device-id", "02:00:00:00:00:01"], "device-id", ["956328D9-CC6A-47F4-BE40-6953FB0AB6C7"],
            "option-conflict"
        ),
        (
            ["--device-id", "02:00:00:00:00:01", "--device-id", "956328D9-CC6A-47F4-BE40-6953FB0AB6C7"], "device-id",
            ["956328d9-cc6a-47f4-be40-6953fb0ab6c7"], nil
        ),
        (
            ["--device-id", "956328D9-CC6A-47F4-BE40-6953FB0AB6C7"], "device-id",
            ["956328D9-CC6A-47F4-BE40-6953FB0AB6C7", "02:00:00:00:00:01"], "option-conflict"
        ),
        (["--bundle-id", "com.example.app"], "environment", ["sandbox"], nil),
    ]

    @Test("A record narrows the command's options, and conflicts with them if it widens or changes one")
    func narrowing() throws {
        let receipt = try base64(
            TestReceipt().with { $0.device = try? DeviceIdentifier(text: "956328D9-CC6A-47F4-BE40-6953FB0AB6C7") })
        for (options, member, values, code) in Self.narrowing {
            let text = values.joined(separator: " ")
            let list = values.map { #""\#($0)""# }.joined(separator: ",")
            var records = [#"{"id":"a","receipt":"\#(receipt)","\#(member)":"\#(text)"}"#]
            if member == "environment" || member == "device-id" {
                records.append(#"{"id":"a","receipt":"\#(receipt)","\#(member)":[\#(list)]}"#)
            }
            for input in records + ["id,receipt,\(member)\na,\(receipt),\(text)"] {
                let result = try CommandLineTool.run(
                    ["batch", "-", "--root", Self.root] + options, input: Data(input.utf8))
                #expect(result.status == 0)
                let answer = try #require(try answers(result.output).first)
                #expect(self.code(answer) == code, "\(options) \(input.prefix(3)) \(values)")
                #expect(answer["id"] as? String == "a")
                let verdict = code == nil ? "valid" : code == "option-conflict" ? "error" : "invalid"
                #expect(answer["verdict"] as? String == verdict)
            }
        }
    }

    @Test("In JSON an option that is null or empty is malformed; in CSV an empty column counts as absent")
    func emptyOptions() throws {
        let receipt = try base64()
        let names = ExpectationOption.all.map(\.name)
        let options = names.flatMap { name in ["null", #""""#].map { #""\#(name)":\#($0)"# } }
        let lists = ExpectationOption.all.filter(\.isRepeatable).map(\.name).flatMap { name in
            ["[]", #"[""]"#, "[null]"].map { #""\#(name)":\#($0)"# }
        }
        let members = options + lists
        let input = members.map { #"{"receipt":"\#(receipt)",\#($0)}"# }.joined(separator: "\n")
        #expect(try answers(run(input).output).map(code) == members.map { _ in "line-malformed" })
        // These aren't options.
        let absent = #"{"receipt":"\#(receipt)","path":null,"id":null}"#
        #expect(try answers(run(absent).output).map(code) == [nil])
        let header = (["receipt"] + names).joined(separator: ",")
        let row = receipt + String(repeating: ",", count: names.count)
        let csv = "\(header)\n\(row)\n\(row.dropLast(2)),\"\",\n"
        #expect(try answers(run(csv).output).map(code) == [nil, nil])
        #expect(
            try answers(run(csv, "--environment", "production").output).map(code)
                == ["environment-mismatch", "environment-mismatch"])
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
            "7,x,\"\(good)\"x,,", "", "8,x,\(good),,other", "9,x,\(good)",
        ]
        for lineBreak in ["\n", "\r\n"] {
            let result = try run(rows.joined(separator: lineBreak) + lineBreak)
            #expect(result.status == 0)
            let answers = try answers(result.output)
            let more = lines.filter { $0 == "\n" }.count
            #expect(
                answers.map { $0["line"] as? Int } == [
                    2, 3, 4, 5 + more, 6 + more, 7 + more, 8 + more, 10 + more, 11 + more,
                ])
            #expect(answers.map { $0["id"] as? String }[...3] == ["1", "a,\"b\"", "3", "4"])
            #expect(
                answers.map(code) == [
                    nil, nil, nil, "intermediate-signature-invalid", "line-malformed", "line-malformed",
                    "line-malformed",
                    "bundle-identifier-mismatch", "line-malformed",
                ])
        }
        #expect(try run("id,name\n1,x\n").status == 64)
        #expect(try run("\u{FEFF}receipt\n\(good)").output.contains(#""verdict":"valid""#))
        // The last quotation mark is never closed.
        let open = try run("receipt\n\(good)\n\"\(good)\n")
        #expect(try answers(open.output).map(code) == [nil, "line-malformed"])
        #expect(open.status == 66)
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

    @Test("An empty input has an empty result")
    func empty() throws {
        let result = try run("")
        #expect(result.status == 0)
        #expect(result.output.isEmpty)
        #expect(result.errors.contains("0 records"))
    }

    @Test("Results are in order for every number of threads, over many blocks of input")
    func order() throws {
        let receipts = try [base64(), base64(TestReceipt().with { $0.appVersion = "2" }), "MIIx"]
        let input = (0..<400).map { #"{"id":\#($0),"receipt":"\#(receipts[$0 % 3])"}"# }.joined(separator: "\n")
        let one = try run(input, "--jobs", "1")
        #expect(try answers(one.output).map { $0["id"] as? Int } == Array(0..<400))
        #expect(try answers(one.output).map { $0["verdict"] as? String == "valid" } == (0..<400).map { $0 % 3 != 2 })
        for jobs in ["2", "7"] { #expect(try run(input, "--jobs", jobs).output == one.output) }
    }

    @Test("A run that was interrupted anywhere can be resumed, with the same results")
    func resume() throws {
        let folder = try TemporaryFolder()
        let good = try base64()
        let input = (0..<100).map { $0 % 10 == 4 ? "" : #"{"id":\#($0),"receipt":"\#(good)"}"# }.joined(separator: "\n")
        let file = folder.url("input").path
        let output = folder.url("output")
        try Data(input.utf8).write(to: URL(fileURLWithPath: file))
        let arguments = ["batch", file, "--root", Self.root, "--output", output.path]
        #expect(try CommandLineTool.run(arguments).status == 0)
        let whole = try Data(contentsOf: output)
        #expect(whole.filter { $0 == UInt8(ascii: "\n") }.count == 90)
        for cut in [0, 1, 50, whole.count / 2, whole.count / 2 + 33, whole.count - 1, whole.count] {
            try whole.prefix(cut).write(to: output)
            let resumed = try CommandLineTool.run(arguments + ["--resume"])
            #expect(resumed.status == 0)
            #expect(try Data(contentsOf: output) == whole)
            let left = 90 - whole.prefix(cut).filter { $0 == UInt8(ascii: "\n") }.count
            #expect(resumed.errors.contains("\(left) record\(left == 1 ? "" : "s") in"))
            #expect(resumed.errors.contains("skipped: already in the output") == (left < 90))
        }
        // Without --resume, nothing is overwritten. A file that isn't output of this command can't be resumed.
        #expect(try CommandLineTool.run(arguments).status == 73)
        #expect(try Data(contentsOf: output) == whole)
        for foreign in [
            "something else\n", "text without a line break", #"{"receipt":"AA=="}"#, #"{"line":1,"id":null}"# + "\n",
        ] {
            try Data(foreign.utf8).write(to: output)
            #expect(try CommandLineTool.run(arguments + ["--resume"]).status == 73)
            #expect(try Data(contentsOf: output) == Data(foreign.utf8))
        }
    }

    @Test("A run can't be resumed with another input, or with the input as output")
    func resumeOfAnotherRun() throws {
        let folder = try TemporaryFolder()
        let good = try base64()
        let file = folder.url("input")
        let output = folder.url("output")
        func write(_ ids: [Int]) throws {
            try Data(ids.map { #"{"id":\#($0),"receipt":"\#(good)"}"# }.joined(separator: "\n").utf8).write(to: file)
        }
        let arguments = ["batch", file.path, "--root", Self.root, "--output", output.path]
        try write([1, 2, 3, 4, 5])
        #expect(try CommandLineTool.run(arguments).status == 0)
        let answers = try Data(contentsOf: output)
        for ids in [[1, 2], [1, 2, 3, 4, 6, 7, 8], []] {
            try write(ids)
            let resumed = try CommandLineTool.run(arguments + ["--resume"])
            #expect(resumed.status == 73)
            #expect(resumed.errors.contains("line 5"))
            #expect(try Data(contentsOf: output) == answers)
        }
        // No record begins on the line of the last result, and others follow it.
        for input in ["\n\n\n\n\n", "\n\n\n"] {
            let record = #"{"id":9,"receipt":"\#(good)"}"#
            try Data((input + record + "\n" + record).utf8).write(to: file)
            for _ in 0..<2 {
                #expect(try CommandLineTool.run(arguments + ["--resume"]).status == 73)
                #expect(try Data(contentsOf: output) == answers)
            }
        }
        try write([9, 9, 9, 9, 5, 6])
        #expect(try CommandLineTool.run(arguments + ["--resume"]).status == 0)
        let input = try Data(contentsOf: file)
        #expect(try CommandLineTool.run("batch", file.path, "--output", file.path, "--resume").status == 73)
        #expect(try Data(contentsOf: file) == input)
    }

    @Test("CSV is divided into blocks between records, with any quotation marks")
    func csvBlocks() throws {
        let good = Data(try TestReceipt().signed()).base64EncodedString(options: [
            .lineLength64Characters, .endLineWithLineFeed,
        ])
        let folder = try TemporaryFolder()
        let output = folder.url("output")
        // A quotation mark inside a field has no meaning; a field that begins with one may contain line breaks and
        // commas.
        let rows = (0..<300).map { number in
            switch number % 3 {
            case 0: "disk \(number)\",\"\(good)\""
            case 1: "\"\(number), \"\"x\"\"\n\",\(good.replacingOccurrences(of: "\n", with: ""))"
            default: "\(number),\"\(good)\""
            }
        }
        let input = Data(("id,receipt\n" + rows.joined(separator: "\n")).utf8)
        let file = folder.url("input")
        try input.write(to: file)
        let arguments = ["batch", file.path, "--root", Self.root, "--output", output.path]
        let result = try CommandLineTool.run(arguments)
        #expect(result.status == 0)
        #expect(result.errors.contains("300 valid, 0 invalid"))
        let whole = try Data(contentsOf: output)
        for cut in stride(from: 0, to: whole.count, by: whole.count / 7) {
            try whole.prefix(cut).write(to: output)
            #expect(try CommandLineTool.run(arguments + ["--resume"]).status == 0)
            #expect(try Data(contentsOf: output) == whole)
        }
    }

    @Test("An unclosed quotation mark or an endless record fails the run")
    func unclosed() throws {
        let good = try base64()
        let result = try run("id,receipt\n1,\(good)\n\"2,\(good)\n3,\(good)\n4,\(good)\n")
        #expect(result.status == 66)
        #expect(result.errors.contains("line 3"))
        #expect(try answers(result.output).map(code) == [nil, "line-malformed"])
        // The record exceeds the limit: no part of it is read as a record.
        let inner = "\"A\nvictim,\(good)\n" + String(repeating: "B", count: 34 << 20) + "\nvictim2,\(good)\nx\""
        let long = try run("id,receipt\nattacker,\(inner)\n5,\(good)\n")
        #expect(long.status == 66)
        #expect(!long.output.contains("victim"))
    }

    @Test("An NDJSON line that exceeds the limit is skipped, and the next is validated")
    func longLine() throws {
        let good = try base64()
        let input =
            #"{"receipt":"\#(String(repeating: "A", count: 30 << 20))"}"# + "\n" + #"{"id":2,"receipt":"\#(good)"}"#
        let answers = try answers(run(input, "--format", "ndjson").output)
        #expect(answers.map { $0["line"] as? Int } == [1, 2])
        #expect(answers.map(code) == ["line-too-long", nil])
    }

    @Test("A line with a million commas takes linear time")
    func manyFields() throws {
        let start = Date()
        let result = try run(
            "id,receipt\n" + String(repeating: ",", count: 1_000_000) + "\n"
                + String(repeating: "\"\",", count: 300_000))
        #expect(try answers(result.output).map(code) == ["line-malformed", "line-malformed"])
        // Quadratic time would take many minutes.
        #expect(Date().timeIntervalSince(start) < 60)
    }

    @Test("A malformed header, or one with a column twice, is wrong usage")
    func headers() throws {
        for header in [
            "receipt,receipt", "receipt,bundle-id,bundle-id", "\"receipt\"x,id", "a\"b,c", "id;receipt", "receipt id",
        ] {
            #expect(try run("\(header)\n1,2\n").status == 64, "\(header)")
        }
        let misspelt = try run("path,bundleid\nSamples/production-subscriptions.receipt,x\n")
        #expect(misspelt.errors.contains("Ignored unknown columns: bundleid"))
        for (input, hint) in [
            ("[{\"path\":\"x\"}]", "jq"), ("oops\n{}", "--format ndjson"), ("\u{1F}\u{8B}", "--format"),
        ] {
            let result = try run(input)
            #expect(result.status == 64)
            #expect(result.errors.contains(hint))
        }
        let zstd = try CommandLineTool.run(["batch", "-"], input: Data([0x28, 0xB5, 0x2F, 0xFD, 0, 0]))
        #expect(zstd.status == 64)
        #expect(zstd.errors.contains("zstdcat"))
    }

    @Test("The summary counts the records without an expected app or environment")
    func openExpectations() throws {
        let good = try base64()
        let input = #"{"receipt":"\#(good)"}"# + "\n" + #"{"receipt":"\#(good)","bundle-id":"com.example.app"}"#
        let open = try run(input)
        #expect(open.errors.contains("1 validated without an expected bundle identifier"))
        #expect(open.errors.contains("2 validated without an expected environment"))
        let closed = try run(input, "--bundle-id", "com.example.app", "--environment", "sandbox")
        #expect(!closed.errors.contains("validated without"))
    }

    @Test("Control characters in ids are escaped, and arrays are equivalent to text")
    func members() throws {
        let good = try base64()
        let result = try run(
            #"{"id":"a\#u{9B}\#u{2028}\#u{202E}","receipt":"\#(good)","environment":["production","sandbox"]}"# + "\n"
                + #"{"id":true,"receipt":"\#(good)"}"# + "\n" + #"{"receipt":"","path":"Samples/forged.receipt"}"#
                + "\n"
                + #"{"receipt":"\#(good)","environment":[1]}"#)
        #expect(result.output.contains(#""id":"a\u009b\u2028\u202e""#))
        #expect(
            try answers(result.output).map(code) == [
                nil, "line-malformed", "intermediate-signature-invalid", "line-malformed",
            ])
    }

    @Test("A record from a pipe is validated as soon as its line ends")
    func pipe() throws {
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = CommandLineTool.executable
        process.arguments = ["batch", "-", "--root", Self.root]
        process.currentDirectoryURL = CommandLineTool.root
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        for number in 1...3 {
            input.fileHandleForWriting.write(Data(#"{"id":\#(number),"path":"Samples/forged.receipt"}\#n"#.utf8))
            let answer = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
            #expect(answer.hasPrefix(#"{"line":\#(number),"id":\#(number),"#))
        }
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    @Test("The results contain the receipts if requested, also for invalid ones")
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

    @Test("Wrong usage and unreadable or unwritable files have different exit statuses")
    func usage() throws {
        #expect(try CommandLineTool.run("batch", "/nonexistent").status == 66)
        #expect(try CommandLineTool.run("batch", "Samples").status == 66)
        #expect(try CommandLineTool.run("batch", "--resume").status == 64)
        #expect(try CommandLineTool.run("batch", "--jobs", "0").status == 64)
        #expect(try CommandLineTool.run("batch", "--format", "xml").status == 64)
        #expect(try CommandLineTool.run("batch", "--output", "/nonexistent/file").status == 73)
        let full = FileHandle(forWritingAtPath: "/dev/full")
        if let full {
            let input = Data(#"{"receipt":"AA=="}"#.utf8)
            #expect(try CommandLineTool.run(["batch", "-"], input: input, output: full).status == 74)
        }
    }
}
