import AppReceiptKit
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing

@Suite("appreceipt batch: fields")
struct BatchFieldsTests {
    private let tool: BatchTool
    /// A subscription that is active on 2024-07-10, and a product that is bought once.
    private let receipt: String

    private static let date = "2024-07-10T00:00:00Z"

    init() throws {
        tool = try BatchTool()
        receipt = try BatchTool.base64(
            TestReceipt().with {
                $0.purchases = [
                    TestPurchase("pro", transaction: "2", at: $0.creationDate),
                    TestPurchase(
                        subscription: "monthly", transaction: "1", from: $0.creationDate,
                        to: $0.creationDate.addingTimeInterval(30 * 86_400)),
                ]
            })
    }

    @Test("Each product has a row with the fields in their order, under the names that were given")
    func rows() throws {
        let result = try tool.run(
            #"{"id":7,"receipt":"\#(receipt)"}"#, "--at", Self.date, "--fields",
            "id,product,state,until,isActive,productIdentifier,transaction,line")
        #expect(
            result.output == """
                {"id":7,"product":"monthly","state":"active","until":"2024-08-01T15:04:05Z","isActive":true,\
                "productIdentifier":"monthly","transaction":"1","line":1}
                {"id":7,"product":"pro","state":"owned","until":null,"isActive":true,"productIdentifier":"pro",\
                "transaction":"2","line":1}

                """)
    }

    @Test("CSV has a header, empty fields for absent values, and line breaks as in RFC 4180")
    func csv() throws {
        let result = try tool.run(
            "id,receipt\n\"a,\"\"b\"\"\",\(receipt)\n-1,AA==\n\"x\ny\",\(try BatchTool.base64())\n", "--at", Self.date,
            "--output-format", "csv", "--fields", "line,id,verdict,code,product,until,willRenew,quantity")
        #expect(
            result.output
                == [
                    "line,id,verdict,code,product,until,willRenew,quantity",
                    "2,\"a,\"\"b\"\"\",valid,,monthly,2024-08-01T15:04:05Z,,1",
                    "2,\"a,\"\"b\"\"\",valid,,pro,,,1",
                    "3,-1,invalid,input-unrecognized,,,,",
                    "4,\"x\ny\",valid,,,,,",
                    "",
                ].joined(separator: "\r\n"))
    }

    @Test("A record without products or without validity has one row, and no entitlement without validity")
    func noProducts() throws {
        let renewal = try TestRenewalInfo("com.example.pro", original: "1").signed()
        let lines = [
            try BatchTool.base64(), renewal, #"{"receipt":"\#(receipt)","bundle-id":"other"}"#, "nonsense",
            #"{"path":"/nonexistent"}"#,
        ]
        let result = try tool.run(lines.joined(separator: "\n"), "--fields", "line,verdict,code,product,state")
        #expect(
            result.output == """
                {"line":1,"verdict":"valid","code":null,"product":null,"state":null}
                {"line":2,"verdict":"valid","code":null,"product":null,"state":null}
                {"line":3,"verdict":"invalid","code":"bundle-identifier-mismatch","product":null,"state":null}
                {"line":4,"verdict":"error","code":"line-malformed","product":null,"state":null}
                {"line":5,"verdict":"error","code":"input-unreadable","product":null,"state":null}

                """)
        // An empty line would be skipped by readers.
        let single = try tool.run(lines[0], "--fields", "product", "--output-format", "csv")
        #expect(single.output == "product\r\n\"\"\r\n")
    }

    @Test("What is in a receipt of an unknown environment is not owned, and the null environment of its row shows why")
    func unknownEnvironment() throws {
        let unknown = try BatchTool.base64(
            TestReceipt().with {
                $0.environment = ReceiptEnvironment(rawValue: "Future")
                $0.purchases = [TestPurchase("pro", transaction: "2", at: $0.creationDate)]
            })
        let fields = "line,verdict,code,environment,state"
        #expect(
            try tool.run(unknown + "\n" + receipt, "--at", Self.date, "--fields", fields).output == """
                {"line":1,"verdict":"valid","code":null,"environment":null,"state":null}
                {"line":2,"verdict":"valid","code":null,"environment":"sandbox","state":"active"}
                {"line":2,"verdict":"valid","code":null,"environment":"sandbox","state":"owned"}

                """)
        #expect(
            try tool.run(unknown, "--environment", "sandbox", "--fields", fields).output == """
                {"line":1,"verdict":"invalid","code":"environment-unknown","environment":null,"state":null}

                """)
    }

    @Test("Rows name the app, and those of renewal information the original transaction, so that they can be joined")
    func joining() throws {
        let lines = [
            receipt, try TestTransaction("com.example.pro", transaction: "2").signed(),
            try TestRenewalInfo("com.example.plus", original: "1").signed(), "nonsense",
        ]
        let result = try tool.run(
            lines.joined(separator: "\n"), "--at", Self.date, "--fields", "line,bundleIdentifier,originalTransaction",
            "--output-format", "csv")
        #expect(
            result.output
                == [
                    "line,bundleIdentifier,originalTransaction", "1,com.example.app,1", "1,com.example.app,2",
                    "2,com.example.app,2", "3,,1", "4,,", "",
                ].joined(separator: "\r\n"))
    }

    @Test("A file that can't be read is named, and so is the way to validate a folder")
    func files() throws {
        let result = try tool.run(#"{"path":"/nonexistent"}"#, "--fields", "code,message")
        #expect(result.output.contains("/nonexistent: "))
        let folder = try TemporaryFolder()
        let whole = try CommandLineTool.run("batch", folder.path)
        #expect(whole.status == 66)
        #expect(whole.errors.contains("| appreceipt batch -"))
        let several = try CommandLineTool.run("batch", "a", "b")
        #expect(several.status == 64)
        #expect(several.errors.contains("| appreceipt batch -"))
    }

    @Test("Without fields of products, each record has one row")
    func recordFields() throws {
        let result = try tool.run(
            receipt + "\nAA==", "--fields", "verdict,environment,check,code,message,remedy", "--format", "ndjson")
        let rows = try tool.objects(result.output)
        #expect(rows.map { $0["verdict"] as? String } == ["valid", "error"])
        #expect(rows.map { $0["environment"] as? String } == ["sandbox", nil])
        let failed = try tool.run(receipt, "--bundle-id", "x", "--fields", "check,code,message,remedy")
        let row = try #require(try tool.objects(failed.output).first)
        #expect(row["check"] as? String == "bundle-identifier")
        #expect((row["message"] as? String)?.contains("com.example.app") == true)
        #expect((row["remedy"] as? String)?.isEmpty == false)
    }

    @Test("The products of tokens are those of the transaction, with the renewal information beside it")
    func tokens() throws {
        let transaction = try TestTransaction(
            "com.example.pro", transaction: "1", until: Date(timeIntervalSince1970: 1_722_500_000)
        ).signed()
        let renewal = try TestRenewalInfo("com.example.pro", original: "1").signed()
        let notification = try TestNotification(type: .subscribed).with {
            $0.signedTransactionInfo = transaction
            $0.signedRenewalInfo = renewal
        }.signed()
        let result = try tool.run(
            transaction + "\n" + notification, "--at", Self.date, "--fields", "product,state,willRenew,ownership")
        let rows = try tool.objects(result.output)
        #expect(rows.map { $0["product"] as? String } == ["com.example.pro", "com.example.pro"])
        #expect(rows.map { $0["state"] as? String } == ["active", "active"])
        #expect(rows.map { $0["willRenew"] as? Bool } == [nil, true])
        #expect(rows.map { $0["ownership"] as? String } == ["PURCHASED", "PURCHASED"])
    }

    @Test("An unknown field is wrong usage, and the message lists the fields")
    func usage() throws {
        let unknown = try tool.run(receipt, "--fields", "line,produkt")
        #expect(unknown.status == 64)
        #expect(unknown.errors.contains("'produkt'"))
        #expect(unknown.errors.contains("line, id, verdict"))
        for options in [
            ["--fields", ""], ["--fields", "line,line"], ["--fields", "line", "--receipts"],
            ["--output-format", "csv"],
            ["--at", Self.date], ["--fields", "line", "--output-format", "xml"],
        ] {
            #expect(try tool.run(file: "-", options).status == 64, "\(options)")
        }
        let output = tool.folder.url("output").path
        let resume = try tool.run(file: "-", ["--fields", "id,product", "--output", output, "--resume"])
        #expect(resume.status == 64)
        #expect(resume.errors.contains("'line'"))
        #expect(try tool.run("", "--fields", "line,product", "--output-format", "csv").output == "line,product\r\n")
    }

    /// 60 records; every third has no product, every seventh is malformed, and ids contain quotation marks and line
    /// breaks.
    private func writeInput() throws -> String {
        let none = try BatchTool.base64()
        let records = (0..<60).map { number in
            number % 7 == 6
                ? "\n\"\(number)" + "\n\"\",\",x," : "\"\(number)\"\"\n\",\(number % 3 == 2 ? none : receipt)"
        }
        return try tool.folder.write("input.csv", Array("id,receipt\n\(records.joined(separator: "\n"))\n".utf8))
    }

    @Test("A run with several rows for a record can be resumed after any byte", arguments: ["csv", "ndjson"])
    func resume(_ format: String) throws {
        let input = try writeInput()
        let output = tool.folder.url("output")
        for fields in ["line,id,verdict,product,state", "product,line"] {
            let options = ["--output", output.path, "--output-format", format, "--fields", fields, "--at", Self.date]
            try Data().write(to: output)
            #expect(try tool.run(file: input, options).status == 0)
            let whole = try Data(contentsOf: output)
            // Some rows in the middle, and the beginning with the header.
            let middle = whole.count / 2
            let cuts =
                Array(stride(from: 0, to: 40, by: 7)) + Array(stride(from: middle, to: middle + 60, by: 5))
                + [whole.count - 1, whole.count]
            for cut in cuts {
                try whole.prefix(cut).write(to: output)
                let resumed = try tool.run(file: input, options + ["--resume"])
                #expect(resumed.status == 0, "\(cut): \(resumed.errors)")
                #expect(try Data(contentsOf: output) == whole, "\(fields) \(cut)")
            }
        }
    }

    @Test("Rows of another run, another format or other fields aren't continued", arguments: ["csv", "ndjson"])
    func foreignOutput(_ format: String) throws {
        let input = try writeInput()
        let output = tool.folder.url("output")
        func run(_ fields: String, _ options: String...) throws -> CommandLineTool {
            try tool.run(
                file: input,
                ["--output", output.path, "--output-format", format, "--fields", fields, "--at", Self.date] + options)
        }
        #expect(try run("line,id,product").status == 0)
        let whole = try Data(contentsOf: output)
        #expect(try run("line,id,product").status == 73)
        #expect(try run("line,id", "--resume").status == 73)
        #expect(try run("line,product,id", "--resume").status == 73)
        #expect(try tool.run(file: input, ["--output", output.path, "--resume"]).status == 73)
        #expect(try Data(contentsOf: output) == whole)
        // The same line with another id.
        let other = try String(contentsOfFile: input, encoding: .utf8).replacingOccurrences(of: "\"59", with: "\"x")
        try other.write(toFile: input, atomically: true, encoding: .utf8)
        let resumed = try run("line,id,product", "--resume")
        #expect(resumed.status == 73)
        #expect(resumed.errors.contains("another record"))
        #expect(try Data(contentsOf: output) == whole)
    }

    @Test("A record with more rows than are read at once can be resumed")
    func manyRows() throws {
        let many = try BatchTool.base64(
            TestReceipt().with { receipt in
                receipt.purchases = (0..<1500).map {
                    TestPurchase("coins.\($0)", transaction: "\($0)", at: receipt.creationDate, type: .consumable)
                }
            })
        let input = try tool.folder.write("input.txt", Array("\(receipt)\n\(many)\n\(receipt)\n".utf8))
        let output = tool.folder.url("output")
        let options = [
            "--output", output.path, "--fields", "line,product,state,reason", "--output-format", "csv", "--at",
            Self.date,
        ]
        #expect(try tool.run(file: input, options).status == 0)
        let whole = try Data(contentsOf: output)
        for cut in [whole.count - 200, whole.count / 2, 1000] {
            try whole.prefix(cut).write(to: output)
            #expect(try tool.run(file: input, options + ["--resume"]).status == 0)
            #expect(try Data(contentsOf: output) == whole)
        }
    }
}
