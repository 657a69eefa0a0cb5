import AppReceiptKit
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing

@testable import appreceipt

@Suite("appreceipt batch: customers")
struct BatchCustomersTests {
    private let tool: BatchTool
    private static let fields = "line,id,verdict,code,product,state"

    init() throws { tool = try BatchTool() }

    private func token(
        _ product: String, _ transaction: String, original: String? = nil, signed day: Int = 2, revoked: Bool = false,
        in environment: SignedDataEnvironment = .sandbox, app: String = "com.example.app"
    ) throws -> String {
        try TestTransaction(product, transaction: transaction, original: original).with {
            $0.signedDate = $0.signedDate.addingTimeInterval(Double(day - 2) * 86_400)
            $0.revocationDate = revoked ? $0.signedDate : nil
            $0.environment = environment
            $0.bundleIdentifier = app
        }.signed()
    }

    private func record(_ id: String, _ data: String) -> String { #"{"id":\#(id),"token":"\#(data)"}"# }

    private static func withSignature(of other: String, _ token: String) -> String {
        (token.split(separator: ".").prefix(2) + other.split(separator: ".").suffix(1)).joined(separator: ".")
    }

    private func rows(_ lines: [String], _ options: String...) throws -> [String] {
        let input = try tool.folder.write("input", Array(lines.joined(separator: "\n").utf8))
        let result = try tool.run(
            file: input,
            ["--group-by", "id", "--fields", Self.fields, "--output-format", "csv", "--at", "2024-08-01T00:00:00Z"]
                + options)
        #expect(result.status == 0, "\(result.errors)")
        return result.output.split(separator: "\r\n").dropFirst().map(String.init)
    }

    @Test("The evidence of consecutive records with an id is combined, whatever its order")
    func merged() throws {
        let bought = try token("pro", "1")
        let refund = try token("pro", "1", signed: 5, revoked: true)
        let receipt = try BatchTool.base64(
            TestReceipt().with { $0.purchases = [TestPurchase("pro", transaction: "1", at: $0.creationDate)] })
        let lines = [
            record("7", bought), #"{"id":"7","receipt":"\#(receipt)"}"#, record("7", refund),
            record(#""b""#, refund), record(#""b""#, bought), record("8", try token("plus", "2")),
        ]
        let expected = ["1,7,valid,,pro,refunded", "4,b,valid,,pro,refunded", "6,8,valid,,plus,owned"]
        #expect(try rows(lines) == expected)
    }

    @Test("A record that isn't valid adds a row with its code, and no evidence")
    func rejected() throws {
        let forged = try Self.withSignature(of: token("plus", "3"), token("plus", "2"))
        let lines = [
            record("1", try token("pro", "1")), record("1", forged), #"{"id":1,"bundle-id":""}"#,
            record("2", forged), record("3", try TestRenewalInfo("plus", original: "1").signed()),
        ]
        let found = try rows(lines)
        #expect(
            found == [
                "1,1,valid,,pro,owned", "2,1,invalid,signature-invalid,,", "3,1,error,line-malformed,,",
                "4,2,invalid,signature-invalid,,", "5,3,valid,,,",
            ])
    }

    @Test("Apps and environments aren't mixed")
    func separate() throws {
        let lines = [
            record("1", try token("pro", "1", in: .sandbox)), record("1", try token("pro", "1", in: .production)),
            record("1", try token("pro", "1", revoked: true, in: .production, app: "com.example.other")),
        ]
        let input = try tool.folder.write("input", Array(lines.joined(separator: "\n").utf8))
        let result = try tool.run(
            file: input, ["--group-by", "id", "--fields", "bundleIdentifier,environment,state,line"])
        #expect(
            try tool.objects(result.output).map { row in
                ["bundleIdentifier", "environment", "state"].map { row[$0] as? String ?? "" }
            } == [
                ["com.example.app", "production", "owned"], ["com.example.app", "sandbox", "owned"],
                ["com.example.other", "production", "refunded"],
            ])
        #expect(try tool.objects(result.output).allSatisfy { $0["line"] as? Int == 1 })
    }

    @Test("Records without an id aren't combined")
    func withoutID() throws {
        let lines = [try token("pro", "1"), try token("pro", "1", revoked: true)]
        #expect(try rows(lines) == ["1,,valid,,pro,owned", "2,,valid,,pro,refunded"])
        let result = try tool.run(lines.joined(separator: "\n"), "--group-by", "id", "--fields", "product")
        #expect(result.errors.contains("no records were combined"))
    }

    @Test("A customer whose records are in several blocks has one answer")
    func blocks() throws {
        let (bought, refund) = (try token("pro", "1"), try token("pro", "1", signed: 5, revoked: true))
        // More than a block of records for the first customer, and more than one thread.
        var lines = [String](repeating: record("1", bought), count: 1500) + [record("1", refund)]
        lines += [record("2", bought)] + [String](repeating: record("3", bought), count: 1100)
        #expect(lines.joined().utf8.count > 3 * RecordReader.blockBytes)
        #expect(try rows(lines) == ["1,1,valid,,pro,refunded", "1502,2,valid,,pro,owned", "1503,3,valid,,pro,owned"])
    }

    @Test("An id that occurs again later ends the run, because its results were written")
    func unsorted() throws {
        let bought = try token("pro", "1")
        let lines = [record("1", bought), record("2", bought), record("1", bought)]
        let result = try tool.run(
            lines.joined(separator: "\n"), "--group-by", "id", "--fields", "id,product")
        #expect(result.status == 66)
        #expect(result.errors.contains("line 3 occurred before"))
        #expect(result.errors.contains("ORDER BY"))
        let column = try tool.run(
            "user_id,token\n1,\(bought)\n2,\(bought)\n", "--id", "user_id", "--group-by", "id", "--fields", "id,product"
        )
        #expect(column.output == "{\"id\":\"1\",\"product\":\"pro\"}\n{\"id\":\"2\",\"product\":\"pro\"}\n")
        #expect(column.errors.contains("2 ids"))
    }

    @Test("An id with more records than fit in memory ends the run")
    func tooMany() throws {
        let validator = BatchValidator(
            verifier: ReceiptVerifier(anchors: try TestPKI.standard.anchors),
            signedData: SignedDataVerifier(anchors: try TestPKI.signedData.anchors),
            expected: Expectations(bundleIdentifier: .anyBundle, environments: .anyEnvironment),
            resultFormat: ResultFormat(fields: [.product]), groupsByID: true)
        let block = RecordReader.Block(
            bytes: Array(String(repeating: "{\"id\":1}\n", count: 1000).utf8)[...], firstLine: 1)
        let results = validator.results(for: block, format: .ndjson, columns: [], after: nil)
        var order = CustomerOrder()
        for _ in 0..<(BatchCustomer.maxRecords / 1000) { #expect(order.text(of: results, by: validator).isEmpty) }
        #expect(order.fault == nil)
        _ = order.text(of: results, by: validator)
        #expect(order.fault?.contains("More than 10000 records") == true)
        #expect(order.lastText(by: validator) == nil)
    }

    @Test("Grouping requires rows of products, and can't be resumed")
    func usage() throws {
        let output = tool.folder.url("output").path
        for options in [
            ["--group-by", "id", "--fields", "line,verdict"], ["--group-by", "id", "--receipts"],
            ["--group-by", "id", "--output", output, "--resume"], ["--group-by", "product"],
        ] {
            #expect(try tool.run(file: "-", options).status == 64, "\(options)")
        }
        let all = try tool.run("", "--group-by", "id", "--output-format", "csv")
        #expect(all.output.hasPrefix("line,id,verdict,environment"))
    }
}
