import AppReceiptKit
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing

@Suite("appreceipt batch: inputs")
struct BatchInputTests {
    private let tool: BatchTool
    private let receipt: String
    private let token: String

    init() throws {
        tool = try BatchTool()
        receipt = try BatchTool.base64()
        token = try TestTransaction("com.example.pro", transaction: "1").signed()
    }

    @Test("Lines may be bare receipts and tokens, quoted or not, and objects, in any order")
    func bareLines() throws {
        let urlSafe = receipt.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
        let lines = [
            receipt, token, "\"\(receipt)\"", "'\(token)'", "", #"{"receipt":"\#(receipt)"}"#, "  \(receipt)\r",
            urlSafe.replacingOccurrences(of: "=", with: ""), "Bearer \(token)", "[\"\(receipt)\"]",
            receipt.replacingOccurrences(of: "+", with: "\\u002b"),
        ]
        for first in [0, 1, 2, 3, 5] {
            let input = (lines[first...] + lines[..<first]).joined(separator: "\n")
            #expect(try tool.outcomes(input) == Array(repeating: "valid", count: 10), "\(first)")
        }
        let result = try tool.run("\u{FEFF}\(receipt)\n\n\(token)")
        #expect(try tool.objects(result.output).map { $0["line"] as? Int } == [1, 3])
        #expect(try tool.objects(result.output).allSatisfy { $0["id"] is NSNull })
    }

    @Test("Lines may be transaction receipts, in base64 and as a property list")
    func transactionReceipts() throws {
        let pki = TestPKI.transactionReceipts
        let root = try tool.folder.write("transaction-receipts.pem", Array(try pki.root.pem().utf8))
        let intermediate = try tool.folder.write("intermediate.pem", Array(try pki.intermediate.pem().utf8))
        let list = try TestTransactionReceipt("com.example.pro", transaction: "1000000099708150").signed()
        let base64 = Data(list).base64EncodedString()
        let plain = String(decoding: list, as: UTF8.self).replacingOccurrences(of: "\n", with: " ")
        let input = [base64, plain, #"{"receipt":"\#(base64)","environment":"production"}"#, receipt]
        let options = ["--root", root, "--transaction-intermediate", intermediate, "--environment", "sandbox"]
        for lines in [input, Array(input.reversed())] {
            let result = try CommandLineTool.run(
                ["batch", "-", "--root", "Samples/root.pem", "--fields", "line,verdict,product,code"]
                    + options.dropLast(2), input: Data(lines.joined(separator: "\n").utf8))
            #expect(result.status == 0, "\(result.errors)")
            let rows = try tool.objects(result.output).sorted { "\($0)" < "\($1)" }
            #expect(rows.count { $0["product"] as? String == "com.example.pro" } == 2)
            #expect(rows.count { $0["code"] as? String == "environment-mismatch" } == 1)
        }
        let contents = try CommandLineTool.run(
            ["batch", "-", "--receipts"] + options, input: Data(base64.utf8))
        let receipt = try #require(try tool.objects(contents.output).first?["receipt"] as? [String: Any])
        #expect(receipt["bundleIdentifier"] as? String == "com.example.app")
    }

    @Test("A bare line that isn't a receipt or token is malformed, and one with an altered receipt is invalid")
    func malformedLines() throws {
        let lines = [
            receipt, "NULL", #"["\#(receipt)","\#(receipt)"]"#, String(receipt.dropLast(400)), "42,\(receipt)",
            #"{"receipt":"NULL"}"#, "\"\"", token.dropLast(86) + String(repeating: "A", count: 86),
        ]
        #expect(
            try tool.outcomes(lines.joined(separator: "\n")) == [
                "valid", "line-malformed", "line-malformed", "encoding-truncated", "line-malformed",
                "input-unrecognized", "line-malformed", "signature-invalid",
            ])
    }

    @Test("A version 1 notification is its receipt, whatever its environment is called, and otherwise named as such")
    func version1Notifications() throws {
        let start = #"{"notification_type":"DID_RENEW","environment":"PROD","auto_renew_status":"true""#
        let lines = [
            "\(start)}", #"\#(start),"latest_receipt":"","unified_receipt":{"latest_receipt":""}}"#,
            #"\#(start),"latest_receipt":"\#(receipt)","unified_receipt":{"latest_receipt":"\#(receipt)"}}"#,
            #"\#(start),"unified_receipt":{"latest_receipt":"\#(receipt)"}}"#, #"{"id":"1","body":\#(start)}}"#,
        ]
        let unread = "notification-version-1"
        #expect(
            try tool.outcomes(lines.joined(separator: "\n")) == [unread, unread, "valid", "valid", unread])
    }

    @Test("Options around a receipt that aren't members of the record are errors, because they would be ignored")
    func nestedOptions() throws {
        let request = #"{"receipt":"\#(receipt)","bundle-id":"com.example.other"}"#
        let quoted = String(decoding: try JSONEncoder().encode(request), as: UTF8.self)
        for line in [#"{"body":\#(request)}"#, "[\(request)]", quoted, #"{"receipt":\#(quoted)}"#] {
            #expect(
                try tool.outcomes("\(receipt)\n\(line)") == ["valid", "line-malformed"], "\(line.prefix(20))")
        }
        // A byte order mark in the middle of a file doesn't hide the options.
        #expect(
            try tool.outcomes("{\"receipt\":\"\(receipt)\"}\n\u{FEFF}\(request)") == [
                "valid", "bundle-identifier-mismatch",
            ])
    }

    @Test("Receipts of every size begin a file of bare lines, and so does the header of a request")
    func firstLines() throws {
        for count in [1, 60, 120, 200] {
            let purchases = (0..<count).map { TestPurchase("com.example.item\($0)", transaction: "\($0 + 1)") }
            let receipt = Data(try TestReceipt(purchases: purchases).signed()).base64EncodedString()
            #expect(try tool.outcomes(receipt) == ["valid"], "\(receipt.prefix(4))")
        }
        #expect(try tool.outcomes("Bearer \(token)") == ["valid"])
    }

    @Test("Every member with a receipt or token is accepted, with either of them as value", arguments: ["json", "csv"])
    func members(_ format: String) throws {
        for name in EvidenceInput.members {
            for data in [receipt, token] {
                let input = format == "json" ? #"{"\#(name)":"\#(data)"}"# : "\(name)\n\(data)\n"
                #expect(try tool.outcomes(input) == ["valid"], "\(name)")
            }
        }
        let columns = "id,receipt,token\n1,\(receipt),\n2,,\(token)\n3,\(receipt),\(token)\n"
        #expect(try tool.outcomes(columns) == ["valid", "valid", "line-malformed"])
        let objects = [
            #"{"receipt":"\#(receipt)","token":null}"#, #"{"receipt":"","token":"\#(token)"}"#,
            #"{"receipt":"\#(receipt)","token":"\#(token)"}"#, #"{"token":"\#(token)","token":"\#(token)"}"#,
        ]
        #expect(
            try tool.outcomes(objects.joined(separator: "\n")) == [
                "valid", "valid", "line-malformed", "line-malformed",
            ])
    }

    @Test("Requests, responses and notifications are records, also inside of another member")
    func documents() throws {
        let notification = try TestNotification(type: .oneTimeCharge).with { $0.signedTransactionInfo = token }.signed()
        let lines = [
            #"{"receipt-data":"\#(receipt)","password":"secret"}"#,
            #"{"status":0,"environment":"Sandbox","receipt":{"in_app":[]},"latest_receipt":"\#(receipt)"}"#,
            #"{"signedPayload":"\#(notification)"}"#,
            #"{"at":1,"body":{"signedPayload":"\#(notification)"}}"#,
            #"{"data":[{"signedTransactions":["\#(token)"]}]}"#,
            #"{"signedTransactions":["\#(token)","\#(token)"]}"#,
            #"{"receipt":{"in_app":[]}}"#,
        ]
        let outcomes = try tool.outcomes(lines.joined(separator: "\n"), "--bundle-id", "com.example.app")
        #expect(
            outcomes == Array(repeating: "valid", count: 5) + ["line-malformed", "line-malformed"])
    }

    @Test("A file that a path names may contain a token")
    func paths() throws {
        let path = try tool.folder.write("token.jws", Array("\(token)\n".utf8))
        #expect(try tool.outcomes(#"{"path":"\#(path)"}"#) == ["valid"])
    }

    @Test("The path may be the id in the result", arguments: [false, true])
    func pathAsID(isCSV: Bool) throws {
        let path = try tool.folder.write("a, b.jws", Array(token.utf8))
        let result = try tool.run(
            isCSV ? "path\n\"\(path)\"\n" : #"{"path":"\#(path)","id":1}"#, "--id", "path", "--fields", "id,verdict")
        #expect(result.output == #"{"id":"\#(path)","verdict":"valid"}"# + "\n")
    }

    @Test("Tokens are compared with the app and the environments, and have the codes of signed-data")
    func tokens() throws {
        let result = try tool.run(token, "--environment", "sandbox", "--receipts")
        let object = try #require(try tool.objects(result.output).first)
        #expect(object["environment"] as? String == "sandbox")
        #expect(object["receipt"] is NSNull)
        #expect(try tool.outcomes(token, "--bundle-id", "com.example.other") == ["bundle-identifier-mismatch"])
        #expect(try tool.outcomes(token, "--environment", "production") == ["environment-mismatch"])
        let narrowed = #"{"token":"\#(token)","bundle-id":"com.example.other"}"#
        #expect(try tool.outcomes(narrowed) == ["bundle-identifier-mismatch"])
        #expect(try tool.outcomes(narrowed, "--bundle-id", "com.example.app") == ["option-conflict"])
    }

    @Test("A token isn't validated if a version or device is expected, which only receipts have")
    func receiptOptions() throws {
        let input = token + "\n" + receipt
        #expect(try tool.outcomes(input, "--app-version", "1") == ["option-not-applicable", "valid"])
        #expect(try tool.outcomes(input, "--original-app-version", "1.0") == ["option-not-applicable", "valid"])
        let names = ExpectationOption.all.filter(\.appliesToReceiptsOnly).map(\.name)
        let members = names.map {
            #"{"token":"\#(token)","\#($0)":"02:00:00:00:00:01"}"#
        }
        let result = try tool.run(members.joined(separator: "\n"))
        let objects = try tool.objects(result.output)
        #expect(objects.map { $0["verdict"] as? String } == names.map { _ in "error" })
        for (name, object) in zip(names, objects) {
            #expect(
                (object["failure"] as? [String: Any])?["message"] as? String == """
                    The record is a token, and only receipts can be compared with '\(name)'.
                    """)
        }
        #expect(result.errors.contains("\(names.count)  option-not-applicable"))
        #expect(!result.errors.contains("validated without"))
    }

    @Test("The format is detected from the first line")
    func detection() throws {
        for (input, status) in [
            ("user_id,receipt_data\n1,\(receipt)\n", 0), ("\"token\"\n\(token)\n", 0), ("\(receipt)\nNULL\n", 0),
            ("NULL\n\(receipt)\n", 64), ("1,\(receipt)\n", 64), ("id,name\n1,x\n", 64),
        ] {
            let result = try tool.run(input)
            #expect(result.status == Int32(status), "\(input.prefix(20))")
            #expect(result.errors.contains("--format ndjson") == (status != 0))
        }
        let wrapped = Data(try TestReceipt().signed()).base64EncodedString(options: [
            .lineLength76Characters, .endLineWithCarriageReturn, .endLineWithLineFeed,
        ])
        let hint = try tool.run(wrapped)
        #expect(hint.status == 64)
        #expect(hint.errors.contains("has line breaks in it"))
        #expect(try tool.run("user_id;receipt_data\n1;\(receipt)\n").errors.contains("separated by commas"))
        #expect(try tool.outcomes("NULL\n\(receipt)\n", "--format", "ndjson") == ["line-malformed", "valid"])
    }

    @Test("Members without a meaning are reported once")
    func unknownMembers() throws {
        let lines = (0..<2000).map { number in
            let name = number % 2 == 0 ? "customer" : "enviroment"
            return #"{"path":"/nonexistent","id":1,"\#(name)":"x"}"#
        }
        let errors = try tool.run(lines.joined(separator: "\n")).errors
        let note =
            "Ignored unknown members: customer, enviroment. Did you mean 'environment' instead of 'enviroment'?\n"
        #expect(errors.components(separatedBy: note).count == 2)
        #expect(errors.components(separatedBy: "Ignored").count == 2)
        // The body isn't ignored.
        let archive = try tool.run(#"{"at":1,"body":{"signedPayload":"\#(token)"}}"#).errors
        #expect(archive.contains("Ignored unknown members: at\n"))
        #expect(try !tool.run(receipt).errors.contains("Ignored"))
    }

    @Test("The number of reported members is limited")
    func manyUnknownMembers() throws {
        let lines = (0..<500).map { line in
            "{" + (0..<300).map { #""\#(line)-\#($0)":1"# }.joined(separator: ",") + "}"
        }
        let errors = try tool.run(lines.joined(separator: "\n")).errors
        #expect(errors.contains(" and others\n"))
        #expect(errors.utf8.count < 2000)
    }

    @Test("The id may have another name")
    func idNames() throws {
        let csv = try tool.run("user_id,receipt_data,id\n7,\(receipt),8\n", "--id", "user_id")
        #expect(try tool.objects(csv.output).map { $0["id"] as? String } == ["7"])
        #expect(csv.errors.contains("Ignored unknown columns: id\n"))
        let json = try tool.run(#"{"user":{},"user_id":7,"receipt":"\#(receipt)"}"#, "--id", "user_id")
        #expect(try tool.objects(json.output).map { $0["id"] as? Int } == [7])
        let missing = try tool.run("user_id,receipt_data\n7,\(receipt)\n", "--id", "userid")
        #expect(missing.status == 64)
        #expect(missing.errors.contains("'userid'"))
        #expect(missing.errors.contains("The columns are user_id, receipt_data."))
        let spelled = try tool.run("USER_ID,Receipt_Data\n7,\(receipt)\n", "--id", "user-id")
        #expect(try tool.objects(spelled.output).map { $0["id"] as? String } == ["7"])
    }

    @Test("A record without the member that --id names is noted if no record has it")
    func missingIDs() throws {
        let object = #"{"user_id":7,"receipt":"\#(receipt)"}"#
        let none = try tool.run(object, "--id", "nope")
        #expect(none.status == 0)
        #expect(none.errors.contains("No record has a value for --id nope"))
        #expect(try !tool.run("\(object)\n\(receipt)", "--id", "user_id").errors.contains("No record"))
        #expect(try !tool.run(object).errors.contains("No record"))
    }

    @Test("Names are compared without regard to case, underscores and surrounding spaces", arguments: ["json", "csv"])
    func spellings(_ format: String) throws {
        func input(_ data: String, _ option: String, _ value: String) -> String {
            format == "json"
                ? #"{"\#(data)":"\#(receipt)","\#(option)":"\#(value)"}"# : "\(data),\(option)\n\(receipt),\(value)\n"
        }
        for (option, value, code) in [
            ("bundle_id", "com.other", "bundle-identifier-mismatch"), ("app_version", "9", "app-version-mismatch"),
            ("Original_App_Version", "9", "original-app-version-mismatch"),
            ("DEVICE_ID", "02:00:00:00:00:01", "device-hash-mismatch"),
            (" Environment ", "production", "environment-mismatch"),
        ] {
            for data in ["receipt-data", "Receipt_Data", " latest-receipt", "RECEIPT"] {
                #expect(try tool.outcomes(input(data, option, value)) == [code], "\(data) \(option)")
            }
        }
        let twice =
            format == "json"
            ? #"{"receipt":"\#(receipt)","bundle_id":"a","bundle-id":"b"}"#
            : "receipt,bundle_id,bundle-id\n\(receipt),a,b\n"
        let result = try tool.run(twice)
        #expect(result.status == 64 || result.output.contains("line-malformed"))
    }

    @Test("A header without a known column is an error with the columns found and a suggestion")
    func unknownHeader() throws {
        let result = try tool.run("user, reciept\n7,\(receipt)\n")
        #expect(result.status == 64)
        #expect(
            result.errors.contains("Found: user, reciept. Did you mean 'receipt' instead of 'reciept'?"))
        let other = try tool.run("receipt,bundleid,note\n\(receipt),com.other,x\n").errors
        #expect(
            other.contains("Ignored unknown columns: bundleid, note. Did you mean 'bundle-id' instead of 'bundleid'?"))
    }
}
