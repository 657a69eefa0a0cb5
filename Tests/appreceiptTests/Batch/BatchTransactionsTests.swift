import AppReceiptKit
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing

@testable import appreceipt

@Suite("appreceipt batch: transactions")
struct BatchTransactionsTests {
    private let tool: BatchTool
    private static let start = TestReceipt().creationDate

    init() throws { tool = try BatchTool() }

    private func rows(_ lines: [String], _ options: String...) throws -> [[String: Any]] {
        let input = try tool.folder.write("input", Array(lines.joined(separator: "\n").utf8))
        let result = try tool.run(file: input, ["--rows", "transactions"] + options)
        #expect(result.status == 0, "\(result.errors)")
        return try tool.objects(result.output)
    }

    @Test("Each purchase of a receipt has a row, with its dates, its offer and its revocation")
    func receipt() throws {
        let receipt = try BatchTool.base64(
            TestReceipt().with {
                var refunded = TestPurchase("pro", transaction: "3", at: $0.creationDate)
                refunded.cancellationDate = $0.creationDate
                var trial = TestPurchase(
                    subscription: "monthly", transaction: "2", original: "1", from: $0.creationDate,
                    to: $0.creationDate.addingTimeInterval(86_400))
                trial.isTrialPeriod = true
                trial.webOrderLineItemIdentifier = 9_007_199_254_740_993
                var offered = trial
                (offered.isTrialPeriod, offered.promotionalOfferIdentifier) = (false, "spring")
                $0.purchases = [refunded, trial, offered]
            })
        let rows = try rows([#"{"id":7,"receipt":"\#(receipt)"}"#])
        #expect(rows.count == 3)
        #expect(rows.allSatisfy { $0["id"] as? Int == 7 && $0["verdict"] as? String == "valid" })
        #expect(rows.allSatisfy { $0["environment"] as? String == "sandbox" && $0["source"] as? String == "receipt" })
        #expect(rows.map { $0["transaction"] as? String } == ["3", "2", "2"])
        #expect(rows.map { $0["originalTransaction"] as? String } == ["3", "1", "1"])
        #expect(rows.map { $0["kind"] as? String } == ["nonConsumable", "subscription", "subscription"])
        #expect(rows.map { $0["revocationDate"] as? String } == ["2024-07-02T15:04:05Z", nil, nil])
        #expect(rows.map { $0["expirationDate"] as? String } == [nil, "2024-07-03T15:04:05Z", "2024-07-03T15:04:05Z"])
        #expect(rows.map { $0["periodSeconds"] as? Int } == [nil, 86_400, 86_400])
        #expect(rows.map { $0["isTrialPeriod"] as? Bool } == [false, true, false])
        #expect(rows.map { $0["offerType"] as? String } == [nil, nil, "promotional"])
        #expect(rows.map { $0["offerIdentifier"] as? String } == [nil, nil, "spring"])
        #expect(rows[1]["webOrderLineItemIdentifier"] as? String == "9007199254740993")
        #expect((rows[1]["payload"] as? [String: Any])?["productIdentifier"] as? String == "monthly")
        // A receipt contains no price.
        for name in ["price", "priceMilliunits", "currency", "storefront"] {
            #expect(rows.allSatisfy { $0[name] is NSNull })
        }
    }

    @Test("A token has one row, with the price as it was signed, and every member of its payload")
    func token() throws {
        let transaction = TestTransaction(
            "plus", transaction: "2", original: "1", until: Self.start.addingTimeInterval(86_400)
        ).with {
            $0.revocationDate = $0.signedDate
            $0.overrides = [
                "price": 9990, "currency": "EUR", "storefront": "DEU", "offerType": 3, "offerIdentifier": "CODE",
                "offerDiscountType": "FREE_TRIAL", "offerPeriod": "P1M", "transactionReason": "RENEWAL",
                "revocationReason": 1, "revocationType": "REFUND_PRORATED", "revocationPercentage": 33_333,
                "appAccountToken": "6F9619FF-8B86-D011-B42D-00CF4FC964FF", "newMember": ["a": 1],
            ]
        }
        let row = try #require(try rows([try transaction.signed()]).first)
        let texts = [
            "source": "transaction", "product": "plus", "kind": "subscription", "price": "9.990", "currency": "EUR",
            "storefront": "DEU", "offerType": "code", "offerIdentifier": "CODE", "offerDiscountType": "FREE_TRIAL",
            "offerPeriod": "P1M", "transactionReason": "RENEWAL", "revocationDate": "2024-07-02T15:04:05Z",
            "revocationType": "REFUND_PRORATED", "signedDate": "2024-07-02T15:04:05Z", "ownership": "PURCHASED",
            "appAccountToken": "6f9619ff-8b86-d011-b42d-00cf4fc964ff",
            "subscriptionGroupIdentifier": "21000001",
        ]
        for (name, text) in texts { #expect(row[name] as? String == text, "\(name)") }
        #expect(row["priceMilliunits"] as? Int == 9990)
        #expect(row["revocationReason"] as? Int == 1)
        #expect(row["refundedPercentage"] as? Double == 33.333)
        let payload = try #require(row["payload"] as? [String: Any])
        #expect(Set(payload.keys) == Set(transaction.members.members.map(\.name)))
        #expect(payload["newMember"] as? [String: Int] == ["a": 1])
    }

    @Test("A notification has its event, the values of its transaction, and the payloads of its tokens")
    func notification() throws {
        let notification = try TestNotification(type: .subscribed, subtype: .initialBuy).with {
            $0.signedTransactionInfo = try TestTransaction("plus", transaction: "1").signed()
            $0.signedRenewalInfo = try TestRenewalInfo("plus", original: "1").signed()
        }
        let row = try #require(try rows([#"{"signedPayload":"\#(try notification.signed())"}"#]).first)
        let texts = [
            "source": "notification", "notificationType": "SUBSCRIBED", "notificationSubtype": "INITIAL_BUY",
            "notificationUUID": notification.notificationUUID, "product": "plus", "price": "10.990",
        ]
        for (name, text) in texts { #expect(row[name] as? String == text, "\(name)") }
        let payload = try #require(row["payload"] as? [String: Any])
        #expect(payload["notificationType"] as? String == "SUBSCRIBED")
        let data = try #require(payload["data"] as? [String: Any])
        #expect((data["signedTransactionInfo"] as? [String: Any])?["price"] as? Int == 10990)
        #expect((data["signedRenewalInfo"] as? [String: Any])?["autoRenewProductId"] as? String == "plus")
    }

    @Test("Data without a transaction has one row, and so has a transaction receipt")
    func others() throws {
        let pki = TestPKI.transactionReceipts
        let root = try tool.folder.write("transaction-receipts.pem", Array(try pki.root.pem().utf8))
        let intermediate = try tool.folder.write("intermediate.pem", Array(try pki.intermediate.pem().utf8))
        let list = Data(try TestTransactionReceipt("pro", transaction: "5").signed()).base64EncodedString()
        let rows = try rows(
            [
                try TestRenewalInfo("plus", original: "1").signed(), try TestAppTransaction().signed(),
                try TestNotification(type: .test).signed(), try BatchTool.base64(), #"{"receipt":"\#(list)"}"#,
            ], "--root", root, "--transaction-intermediate", intermediate)
        #expect(
            rows.map { $0["source"] as? String } == [
                "renewal-info", "app-transaction", "notification", "receipt", "transaction-receipt",
            ])
        #expect(rows.map { $0["transaction"] as? String } == [nil, nil, nil, nil, "5"])
        #expect(rows.map { $0["originalTransaction"] as? String } == ["1", nil, nil, nil, "5"])
        #expect(rows.map { $0["payload"] is NSNull } == [false, false, false, true, false])
        #expect(rows.allSatisfy { $0["verdict"] as? String == "valid" })
    }

    @Test("A record that isn't valid has one row with its code, and nothing that the record claims")
    func invalid() throws {
        let transaction = try TestTransaction("plus", transaction: "1").signed()
        let receipt = try BatchTool.base64(
            TestReceipt().with { $0.purchases = [TestPurchase("pro", transaction: "2", at: $0.creationDate)] })
        let parts = transaction.split(separator: ".").map(String.init)
        let forged = [parts[0], parts[1], String(parts[2].reversed())].joined(separator: ".")
        let rows = try rows(
            [
                forged, #"{"receipt":"\#(receipt)","bundle-id":"other"}"#, "nonsense",
                #"{"path":"Samples/forged.receipt"}"#,
            ])
        #expect(rows.map { $0["verdict"] as? String } == ["invalid", "invalid", "error", "invalid"])
        #expect(rows.map { $0["line"] as? Int } == [1, 2, 3, 4])
        let names: Set = ["line", "id", "verdict", "environment", "check", "code", "message", "remedy"]
        for row in rows {
            #expect(row["code"] is String)
            for (name, value) in row where !names.contains(name) { #expect(value is NSNull, "\(name)") }
        }
        // The environment is proven, although another check failed.
        #expect(rows.map { $0["environment"] as? String } == [nil, "sandbox", nil, nil])
    }

    @Test("CSV and --fields have the same values, and a run can be resumed after any byte")
    func resume() throws {
        let receipt = try BatchTool.base64(
            TestReceipt().with { receipt in
                receipt.purchases = (1...4).map { TestPurchase("pro", transaction: "\($0)", at: receipt.creationDate) }
            })
        let token = try TestTransaction("plus", transaction: "1").signed()
        let input = try tool.folder.write("input", Array([receipt, token, receipt].joined(separator: "\n").utf8))
        let output = tool.folder.url("output")
        let options = [
            "--rows", "transactions", "--output-format", "csv", "--fields", "line,transactionIdentifier,price",
            "--output", output.path,
        ]
        #expect(try tool.run(file: input, options).status == 0)
        let whole = try Data(contentsOf: output)
        let rows = ["1,1,", "1,2,", "1,3,", "1,4,", "2,1,10.990", "3,1,", "3,2,", "3,3,", "3,4,", ""]
        #expect(
            String(decoding: whole, as: UTF8.self)
                == (["line,transactionIdentifier,price"] + rows).joined(separator: "\r\n"))
        for cut in 0...whole.count {
            guard cut % 5 == 0 || cut == whole.count else { continue }
            try whole.prefix(cut).write(to: output)
            #expect(try tool.run(file: input, options + ["--resume"]).status == 0)
            #expect(try Data(contentsOf: output) == whole, "\(cut)")
        }
    }

    @Test("Thousandths are written as a decimal number without rounding")
    func decimals() {
        let values: [Int64: String] = [
            0: "0.000", 1: "0.001", 990: "0.990", 9990: "9.990", -1500: "-1.500", 1_200_000: "1200.000",
            .max: "9223372036854775.807", .min: "-9223372036854775.808",
        ]
        for (value, text) in values { #expect(TransactionRow.decimal(milliunits: value) == text) }
    }

    @Test("A field of other rows is wrong usage, and the message lists the fields")
    func usage() throws {
        for options in [
            ["--rows", "transactions", "--fields", "state"], ["--rows", "products", "--fields", "price"],
            ["--fields", "price"], ["--rows", "transactions", "--receipts"], ["--rows", "receipts"],
            ["--rows", "transactions", "--group-by", "id"],
        ] {
            let result = try tool.run(file: "-", options)
            #expect(result.status == 64, "\(options)")
        }
        let other = try tool.run(file: "-", ["--rows", "transactions", "--fields", "line,state"])
        #expect(
            other.errors.contains(
                "'state' is a field of the other kind of --rows, not of transactions. Fields: line, id, verdict"))
    }

    @Test("--rows without --fields writes all fields of a row")
    func allFields() throws {
        for kind in RowKind.allCases {
            let result = try tool.run(try BatchTool.base64(), "--rows", kind.rawValue, "--output-format", "csv")
            let names = ResultField.all(of: kind).map(\.rawValue).joined(separator: ",")
            #expect(result.output.hasPrefix(names + "\r\n1,,valid,sandbox,com.example.app,"))
        }
    }
}
