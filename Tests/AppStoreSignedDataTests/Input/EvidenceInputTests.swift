import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing

@Suite("EvidenceInput")
struct EvidenceInputTests {
    private let token = "eyJhbGciOiJFUzI1NiJ9.eyJhIjoxfQ.c2ln"

    private func items(_ text: String) -> [EvidenceInput.Item] { EvidenceInput(Array(text.utf8)).items }

    @Test("Binary data is an unchanged receipt, including whitespace at its ends")
    func binary() throws {
        let receipt = try TestReceipt().signed() + [0x0A]
        let input = EvidenceInput(receipt)
        #expect(input.items == [.receipt(receipt[...])])
        #expect(input.normalizations.isEmpty)
    }

    @Test("Text that is neither a token nor JSON is treated as a receipt")
    func text() {
        #expect(items("hello") == [.receipt(Array("hello".utf8)[...])])
        #expect(EvidenceInput([]).items == [.receipt([])])
    }

    @Test("A token is found inside whitespace, quotation marks and after the word Bearer")
    func tokens() {
        for text in [token, " \(token)\r\n", "\"\(token)\"", "'\(token)'", "Bearer \(token)", "\"Bearer \(token)\""] {
            #expect(items(text) == [.token(token)])
        }
    }

    @Test("A transaction receipt is found as text, in base64 and in JSON, and isn't mistaken for JSON or a token")
    func transactionReceipts() throws {
        let list = try TestTransactionReceipt("pro", transaction: "350000245250525").signed()
        let text = String(decoding: list, as: UTF8.self)
        let base64 = Data(list).base64EncodedString()
        let wrapped = Data(list).base64EncodedString(options: .lineLength76Characters)
        let urlSafe = base64.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
        let request = String(decoding: AppStoreJSON.object(["receipt-data": .string(text)]).text(), as: UTF8.self)
        for input in [
            text, "\u{FEFF}\n\(text)\n", base64, wrapped, urlSafe, "\"\(base64)\"", "{\"receipt-data\": \"\(base64)\"}",
            request, "{\"status\": 0, \"latest_receipt\": \"\(base64)\"}",
        ] {
            #expect(items(input) == [.transactionReceipt(list[...])], "\(input.prefix(40))")
        }
        #expect(items("{\"token\": \"\(base64)\"}") == [.token(base64)])
        #expect(items("[\"\(base64)\", \"\(token)\"]") == [.transactionReceipt(list[...]), .token(token)])
    }

    @Test("A token that is cut off at any place is a token", arguments: [1, 2, 100, 500])
    func truncatedTokens(_ count: Int) throws {
        let token = String(try TestTransaction("p", transaction: "1").signed().dropLast(count))
        #expect(items(token) == [.token(token)])
        #expect(items("{\"receipt\": \"\(token)\"}") == [.token(token)])
    }

    @Test("StoreKit 2's JSON without a signature is treated as a token, alone, in other JSON, and in base64")
    func unsigned() throws {
        let members = AppStoreJSON.object(TestTransaction("p", transaction: "1").members)
        let json = String(decoding: members.text(), as: UTF8.self)
        #expect(items(json) == [.token(json)])
        #expect(items("{\"transactions\": [\(json), \(json)]}") == [.token(json), .token(json)])
        let base64 = Data(json.utf8).base64EncodedString()
        #expect(items(base64) == [.token(base64)])
        let other = "{\"transactionId\": \"1\", \"note\": \"a\"}"
        #expect(items(other) == [.receipt(Array(other.utf8)[...])])
        let signed = "{\"transactionId\": \"1\", \"productId\": \"p\", \"jwsRepresentation\": \"\(token)\"}"
        #expect(items(signed) == [.token(token)])
    }

    @Test("A version 1 notification contains a receipt, and its JSON is the text for a reader of tokens")
    func version1Notification() {
        let json = "{\"notification_type\":\"DID_RENEW\",\"unified_receipt\":{\"latest_receipt\":\"MIIA\"}}"
        let input = EvidenceInput(Array(json.utf8))
        #expect(input.items == [.receipt(Array("MIIA".utf8)[...])])
        #expect(input.tokenText == json)
        let twice = "{\"latest_receipt\":\"MIIA\"," + json.dropFirst()
        #expect(items(twice) == [.receipt(Array("MIIA".utf8)[...])])
    }

    @Test("A version 1 notification without a receipt is treated as a token, alone and in other JSON")
    func version1NotificationWithoutReceipt() {
        for receipt in ["", ",\"latest_receipt\":\"\"", ",\"unified_receipt\":{\"latest_receipt\":\"\",\"status\":0}"] {
            let json = "{\"notification_type\":\"DID_RENEW\",\"auto_renew_status\":\"true\"\(receipt)}"
            let input = EvidenceInput(Array(json.utf8))
            #expect(input.items == [.token(json)])
            #expect(input.normalizations.isEmpty)
            #expect(input.enclosingObjects.isEmpty)
            #expect(throws: ReceiptError(.notificationVersion1)) { try input.items[0].receipt.get() }
            #expect(items("{\"body\": \(json)}") == [.token(json)])
        }
    }

    @Test("Every token in an answer of the App Store Server API is found, in order")
    func serverAPI() {
        let other = token + "Mg"
        let text = """
            {"environment": "Sandbox", "data": [{"subscriptionGroupIdentifier": "1", "lastTransactions": [
            {"status": 1, "signedTransactionInfo": "\(token)", "signedRenewalInfo": "\(other)"}]}]}
            """
        #expect(items(text) == [.token(token), .token(other)])
        #expect(items("[\"\(token)\", \"\(other)\"]") == [.token(token), .token(other)])
    }

    @Test("Every member with a receipt or token is found, also by the name in tables")
    func members() {
        for name in EvidenceInput.members {
            let input = EvidenceInput(Array("{\"body\": {\"\(name)\": \"\(token)\"}}".utf8))
            #expect(input.items == [.token(token)])
            #expect(!input.enclosingObjects.isEmpty)
        }
        for name in ["receipt_data", "Latest-Receipt", " RECEIPT "] {
            #expect(items(#"{"\#(name)": "MIIA"}"#) == [.receipt(Array("MIIA".utf8)[...])])
        }
        #expect(!EvidenceInput(Array("{\"signedTransactions\": [\"\(token)\"]}".utf8)).enclosingObjects.isEmpty)
        #expect(EvidenceInput(Array("[\"\(token)\"]".utf8)).enclosingObjects.isEmpty)
        #expect(EvidenceInput(Array(token.utf8)).enclosingObjects.isEmpty)
    }

    @Test("The options of a request are found under each spelling, but not Apple's environment")
    func options() {
        func options(_ text: String) -> [String] { EvidenceInput(Array(text.utf8)).options }
        #expect(options(#"{"receipt": "MIIA", "Bundle_ID": "a", "kind": null}"#) == ["bundle-id"])
        #expect(options(#"{"receipt": "MIIA", "environment": "sandbox"}"#) == ["environment"])
        #expect(options(#"{"latest_receipt": "MIIA", "environment": "Sandbox"}"#).isEmpty)
    }

    @Test("Under names that aren't known, receipts and Apple's tokens are found if there are none under known ones")
    func unknownMembers() throws {
        let token = try TestTransaction("com.example.pro", transaction: "1").signed()
        let receipt = Data(try TestReceipt().signed()).base64EncodedString()
        // A token of an identity provider has no certificates.
        let (base64, identity) = (Data(token.utf8).base64EncodedString(), self.token)
        for (text, path, steps) in [
            (#"{"jws": "\#(token)", "idToken": "\#(identity)"}"#, ["jws"], ["JSON member 'jws'"]),
            (#"{"data": {"list": ["\#(token)"]}}"#, ["data", "list"], ["JSON member 'list'"]),
            (#"{"Payload": "\"\#(token)\""}"#, ["Payload"], ["JSON member 'Payload'"]),
            (#"{"jws": "\#(base64)"}"#, ["jws"], ["JSON member 'jws'", "base64"]),
        ] {
            let input = EvidenceInput(Array(text.utf8))
            #expect(input.items == [.token(token)], "\(text)")
            #expect(input.paths == [path])
            #expect(input.normalizations == steps)
        }
        #expect(items(#"{"Payload": "\#(receipt)"}"#) == [.receipt(Array(receipt.utf8)[...])])
        let fetched = Data(#"{"transactions": ["\#(token)"]}"#.utf8).base64EncodedString()
        #expect(items(#"{"fetch_token": "\#(fetched)"}"#) == [.token(token)])
        for other in [token, identity, receipt, fetched] {
            #expect(items(#"{"receipt": "\#(receipt)", "copy": "\#(other)"}"#) == [.receipt(Array(receipt.utf8)[...])])
            let every = EvidenceInput(
                Array(#"{"receipt": "\#(receipt)", "copy": "\#(other)"}"#.utf8), readsEveryMember: true)
            #expect(every.items.count == (other == identity ? 1 : 2))
        }
    }

    @Test("A receipt under the name of a token is a receipt")
    func receiptAsToken() throws {
        let receipt = Data(try TestReceipt().signed()).base64EncodedString()
        #expect(items(#"{"jwsRepresentation": "\#(receipt)"}"#) == [.receipt(Array(receipt.utf8)[...])])
    }

    @Test("JSON without a receipt or token is one unrecognized item")
    func foreignJSON() {
        #expect(EvidenceInput(Array("{\"tags\": [\"x\"]}".utf8)).enclosingObjects.isEmpty)
        #expect(items("{\"status\": 1}") == [.receipt(Array("{\"status\": 1}".utf8)[...])])
        #expect(items("{\"receipt\": {\"in_app\": []}}").count == 1)
        #expect(items("{").count == 1)
    }

    @Test("URL-safe base64 becomes standard base64 with padding")
    func urlSafeBase64() {
        let input = EvidenceInput(Array("MII-_w".utf8))
        #expect(input.items == [.receipt(Array("MII+/w==".utf8)[...])])
        #expect(input.normalizations == ["URL-safe base64"])
    }

    @Test("Base64 on lines with an unfinished group needs no normalization")
    func wrappedBase64() throws {
        let base64 = Data(try TestReceipt().signed()).base64EncodedString(options: [
            .lineLength64Characters, .endLineWithCarriageReturn, .endLineWithLineFeed,
        ])
        let input = EvidenceInput(Array(base64.utf8))
        #expect(input.items == [.receipt(Array(base64.utf8)[...])])
        #expect(input.normalizations.isEmpty)
    }

    @Test("Escaped JSON is read without the quotation marks around it")
    func escapedJSON() {
        let input = EvidenceInput(Array(#"{\"receipt-data\":\"MII\\/AAAA\"}"#.utf8))
        #expect(input.items == [.receipt(Array("MII/AAAA".utf8)[...])])
        #expect(input.normalizations == ["escapes", "JSON member 'receipt-data'"])
    }

    @Test("The member determines that text is a token, even if it is malformed")
    func malformedTokens() {
        for text in [#"{"signedPayload": "x"}"#, #"{"token": "x"}"#, #"{"signedTransactions": ["x"]}"#] {
            #expect(items(text) == [.token("x")])
        }
        #expect(items(#"{"receipt": "x"}"#) == [.receipt(Array("x".utf8)[...])])
        #expect(EvidenceInput.Item.token("x").bytes == Array("x".utf8)[...])
        #expect(EvidenceInput.Item.receipt(Array("x".utf8)[...]).text == "x")
    }

    @Test("The objects around the first item are known, innermost first")
    func enclosingObjects() {
        let text = #"{"a": 1, "data": {"b": 2, "token": "x"}, "other": {"token": "y"}}"#
        let input = EvidenceInput(Array(text.utf8))
        #expect(input.items == [.token("x"), .token("y")])
        #expect(input.enclosingObjects.map { $0.members.first?.name } == ["b", "a"])
        #expect(EvidenceInput(Array("x".utf8)).enclosingObjects.isEmpty)
    }

    @Test("UTF-16 is decoded with and without a byte order mark")
    func utf16() throws {
        for encoding in [String.Encoding.utf16, .utf16BigEndian, .utf16LittleEndian] {
            let input = EvidenceInput(try #require(token.data(using: encoding)))
            #expect(input.items == [.token(token)])
            #expect(input.normalizations.first == "UTF-16")
        }
    }

    @Test("The number of items is limited, and each step is reported once")
    func bounds() {
        let many = "[" + Array(repeating: "\"\(token)\"", count: 10_500).joined(separator: ",") + "]"
        #expect(items(many).count == 10_000)
        let members = "[" + Array(repeating: "{\"token\":\"\(token)\"}", count: 50).joined(separator: ",") + "]"
        #expect(EvidenceInput(Array(members.utf8)).normalizations == ["JSON member 'token'"])
    }

    @Test("A token in JSON that can't be parsed, or in what a debugger prints, is found")
    func quoted() throws {
        let token = try TestTransaction("com.example.pro", transaction: "1").signed()
        for text in [#"{"name":"\ud83c","jws":"\#(token)"}"#, #"Optional("\#(token)")"#] {
            #expect(items(text) == [.token(token)], "\(text.prefix(20))")
        }
    }

    @Test("The depth of nested wrappers is limited")
    func depth() {
        var text = token
        for _ in 0..<20 { text = String(decoding: AppStoreJSON.string(text).text(), as: UTF8.self) }
        #expect(items(text).count == 1)
        let nested = String(repeating: "[", count: 5000)
        #expect(items(nested).count == 1)
    }
}
