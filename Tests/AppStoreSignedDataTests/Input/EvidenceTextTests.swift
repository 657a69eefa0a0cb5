import AppReceiptKit
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing

@Suite("Evidence in text")
struct EvidenceTextTests {
    private let receipt: [UInt8]
    private let other: [UInt8]
    private let token: String
    private let base64: String
    private let otherBase64: String

    init() throws {
        receipt = try TestReceipt().signed()
        other = try TestReceipt().with { $0.bundleIdentifier = "com.example.other-app" }.signed()
        token = try TestTransaction("pro", transaction: "1").signed()
        base64 = Data(receipt).base64EncodedString()
        otherBase64 = Data(other).base64EncodedString()
    }

    private func input(_ text: String) -> EvidenceInput { EvidenceInput(Array(text.utf8)) }

    /// The receipts in DER and the tokens as text.
    private func contents(_ text: String) -> [String] {
        input(text).items.map { item in
            switch item {
            case .receipt(let bytes):
                (try? ReceiptInput(bytes)).map { Data($0.containerBytes).base64EncodedString() } ?? "?"
            case .transactionReceipt: "list"
            case .token(let token): token
            }
        }
    }

    private func wrapped(_ text: String, at width: Int = 76, prefix: String = "", end: String = "\n") -> String {
        var lines: [String] = []
        var rest = Substring(text)
        while !rest.isEmpty {
            lines.append(prefix + rest.prefix(width))
            rest = rest.dropFirst(width)
        }
        return lines.joined(separator: end)
    }

    @Test("A receipt or token is found in a mail, on one line or wrapped, and other lines are reported")
    func mail() {
        for width in [60, 64, 76, 998, 100_000] {
            for (document, expected) in [(base64, base64), (token, token)] {
                let mail = "Hi,\n\nhere is my receipt:\n\n\(wrapped(document, at: width))\n\nThanks\nAnna\n"
                #expect(contents(mail) == [expected], "\(width)")
                #expect(input(mail).normalizations == ["4 lines of other text"], "\(width)")
                #expect(contents(mail.replacingOccurrences(of: "\n", with: "\r\n")) == [expected], "\(width)")
            }
        }
        #expect(contents("Moin, my receipt: \(base64). Thanks") == [base64])
        #expect(contents("My token is \"\(token)\".") == [token])
        #expect(contents("My token is \(token).\nThanks") == [token])
        #expect(contents("receipt: \(wrapped(base64))\nThanks") == [base64])
    }

    @Test("Other marks of quotations, and the escapes of HTML, are removed")
    func otherMarks() {
        let marks = ["| ", "&gt; ", "&gt;&gt; ", "> | ", ": ", "AW> ", "AW>", "> ab> ", "&#62; ", "&#x3E;&#160;"]
        let lines = marks.map { wrapped(base64, prefix: $0) }
        for quoted in lines { #expect(contents("Anna wrote:\n\(quoted)\nThanks") == [base64], "\(quoted.prefix(8))") }
        let html = "<p>Anna wrote:</p>" + wrapped(base64, prefix: "&gt; ", end: "<br>") + "<p>Thanks &amp; bye</p>"
        #expect(contents(html) == [base64])
        let numbers = "<p>" + wrapped(base64, prefix: "&#62;&#32;", end: "<br/>") + "</p>&#9999999999; &#; &#x;"
        #expect(contents(numbers) == [base64])
        let claims = "{\"status\": 0,\n\"receipt\": {\"in_app\": []}}"
        for mark in [": ", "AW> "] {
            let quoted = claims.split(separator: "\n").map { mark + $0 }.joined(separator: "\n")
            #expect(input("Anna wrote:\n\(quoted)\n").normalizations == ["other text around JSON"], "\(mark)")
        }
        #expect(input("Hi\n| \(base64)\n").normalizations.contains("quoted lines"))
    }

    @Test("Quoted lines and the line breaks of quoted-printable are removed")
    func quotes() {
        for prefix in ["> ", ">", "> > ", ">> "] {
            let mail =
                "Anna wrote:\n\(prefix)Hi,\n\(prefix)\n\(wrapped(base64, prefix: prefix))\n\(prefix)\n\(prefix)Bye"
            #expect(contents(mail) == [base64], "\(prefix)")
            #expect(input(mail).normalizations == ["quoted lines", "3 lines of other text"], "\(prefix)")
            #expect(contents(wrapped(token, prefix: prefix)) == [token])
        }
        // A mail program wraps the quoted lines again.
        for document in [base64, token] {
            let lines = wrapped(document, prefix: "> ").split(separator: "\n").flatMap { line in
                [String(line.prefix(72)), String(line.dropFirst(72))].filter { !$0.isEmpty }
            }
            #expect(contents("Hi\n\(lines.joined(separator: "\n"))\nThanks\nAnna") == [document])
            #expect(contents("Hi\n\(lines.joined(separator: "\n> "))\nThanks\nAnna") == [document])
        }
        for document in [base64, token] {
            let encoded = document.replacingOccurrences(of: "=", with: "=3D")
            let mail = "Hi,\n\n\(wrapped(encoded, at: 75, end: "=\n"))\n\nThanks"
            #expect(contents(mail) == [document])
            #expect(input(mail).normalizations == ["quoted-printable", "2 lines of other text"])
        }
    }

    @Test("A period or quotation mark after the last line of a document isn't part of it")
    func endOfSentence() {
        for end in [".", "..", ".)", "\".", "\","] {
            for width in [60, 76, 998] {
                for document in [base64, token, otherBase64] {
                    let mail = "My receipt:\n\(wrapped(document, at: width))\(end)\nThanks\nAnna"
                    #expect(contents(mail) == [document], "\(end) \(width)")
                    #expect(contents(mail + "\n" + token + "2\n") == [document, token + "2"], "\(end) \(width)")
                }
            }
        }
    }

    @Test("Documents between the tags of HTML are found, also without whitespace and with line breaks inside")
    func html() throws {
        for document in [base64, token] {
            for mail in [
                "<p>\(document)</p>", "<html><body><div>Hi</div><div>\(document)</div></body></html>",
                "<p>\(wrapped(document, end: "<br>"))</p>", "<p>\(wrapped(document, end: "<br/>\n"))</p>",
                "<div>\(wrapped(document, end: "</div><div>"))</div>",
                "Hi<BR>\(wrapped(document, end: "<wbr>\r\n"))<BR>Bye",
                "<span class=\"a b\">\(wrapped(document, end: "</span><span>"))</span>",
            ] {
                #expect(contents(mail) == [document], "\(mail.prefix(40))")
                #expect(input(mail).normalizations.first == "HTML", "\(mail.prefix(40))")
            }
            #expect(contents("<p>\(document)</p><p>\(otherBase64)</p>") == [document, otherBase64])
            // A value of an attribute, and an address, aren't removed.
            #expect(contents("<input value=\"\(document)\">") == [document])
            let address = input("From: Anna <anna@example.com>\n\n\(document)\n")
            #expect(address.normalizations == ["1 line of other text"])
        }
        let indefinite = Data(try TestReceipt().with { $0.environment = .xcode }.signedLikeXcode())
            .base64EncodedString()
        #expect(contents("<p>\(wrapped(indefinite, end: "<br>\n"))</p><p>Thanks</p>") == [indefinite])
    }

    @Test("A MIME part in base64 is decoded once, and an attached receipt stays as it is")
    func mimeParts() {
        func part(_ text: String, type: String = "text/plain") -> String {
            let header = "Content-Type: \(type); charset=utf-8\ncontent-transfer-encoding: BASE64\nX-Id: 1\n\n"
            return "--b\n\(header)\(wrapped(Data(text.utf8).base64EncodedString()))\n"
        }
        let head = "From: Anna <anna@example.com>\nContent-Type: multipart/mixed; boundary=b\n\n"
        for document in [base64, token] {
            let text = "Grüße,\n\n\(wrapped(document))\n\nAnna"
            let mail = head + part(text) + part("<p>\(document)</p>", type: "text/html") + "--b--\n"
            for mail in [mail, mail.replacingOccurrences(of: "\n", with: "\r\n")] {
                #expect(contents(mail) == [document])
                #expect(input(mail).normalizations.prefix(2) == ["MIME parts in base64", "HTML"])
            }
            // One level.
            #expect(contents(head + part(part(text)) + "--b--") != [document])
        }
        let attached = "--b\nContent-Transfer-Encoding: base64\n\n\(wrapped(base64))\n--b--\n"
        #expect(contents(head + part("Hi") + attached) == [base64])
    }

    @Test("All receipts and tokens of a text are found in order, each once")
    func several() throws {
        let list = String(
            decoding: try TestTransactionReceipt("pro", transaction: "350000245250525").signed(), as: UTF8.self)
        #expect(contents("\(base64)\n\(otherBase64)") == [base64, otherBase64])
        #expect(contents("\(wrapped(base64))\n\(wrapped(otherBase64))\n") == [base64, otherBase64])
        #expect(contents("\(token)\n\(base64)\n\(token)2") == [token, base64, token + "2"])
        #expect(contents("First \(base64)\nthen\n> \(token)\n\n\(list)\nBye") == [base64, token, "list"])
        #expect(contents("\(wrapped(base64, prefix: "> "))\n\n\(base64)\n\(token)") == [base64, token])
        #expect(contents("{\"signedPayload\": \"\(token)\"}\n{\"receipt-data\": \"\(base64)\"}") == [token, base64])
        let pem = "-----BEGIN PKCS7-----\n\(wrapped(base64, at: 64))\n-----END PKCS7-----"
        #expect(contents("Hi\n\(pem)\n\(pem)\n\(token)") == [base64, token])
        #expect(EvidenceInput(Array(pem.utf8)).items == [.receipt(Array(pem.utf8)[...])])
        #expect(EvidenceInput(Array(pem.utf8)).normalizations.isEmpty)
    }

    @Test("A receipt of every length is found before another one, whatever its padding", arguments: 0..<6)
    func padding(_ count: Int) throws {
        let receipt = try TestReceipt().with {
            $0.bundleIdentifier = "com.example." + String(repeating: "a", count: count + 1)
        }.signed()
        let first = Data(receipt).base64EncodedString()
        #expect(contents("\(first)\n\(base64)") == [first, base64])
        #expect(contents("\(wrapped(first))\n\(wrapped(base64))") == [first, base64])
        let urlSafe = first.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
        #expect(contents("Hi\n\(urlSafe)\nThanks") == [first])
        let escaped = first.replacingOccurrences(of: "/", with: "\\/")
        #expect(contents("\"latest_receipt\":\"\(escaped)\",\n\"status\":0") == [first])
    }

    @Test("A receipt of indefinite length is found in a mail")
    func indefinite() throws {
        let receipt = try TestReceipt().with { $0.environment = .xcode }.signedLikeXcode()
        #expect(receipt[1] == 0x80)
        let base64 = Data(receipt).base64EncodedString()
        #expect(contents("Hi,\n\(base64)\n\nThanks") == [base64])
        #expect(contents("Hi,\n\(wrapped(base64))\n\nThanks") == [base64])
        #expect(contents("\(base64)\n\(self.base64)\n\(token)") == [base64, self.base64, token])
    }

    @Test("One document is read as before, with everything that is wrong with it")
    func oneDocument() {
        let truncated = String(base64.dropLast(101))
        for text in [
            truncated, wrapped(truncated), String(base64.prefix(2000)) + " " + base64.dropFirst(2001),
            base64 + "AAAA\nAAAA", wrapped(base64) + "\nAAAA", "hello", "hello\nworld", "MIIA\nMIIB", "eyJ x",
            "{\"note\": \"\(token)\"}", "{\"receipt-data\": \"\(truncated)\n",
        ] {
            #expect(input(text).items.count == 1)
            #expect(!input(text).normalizations.contains { $0.contains("other") || $0.hasPrefix("quoted") })
        }
    }

    @Test("A token after the word Bearer, alone in its line, is not a mail")
    func bearer() {
        #expect(contents("Bearer \(token)\n") == [token])
        #expect(input("Bearer \(token)").normalizations == ["\"Bearer\""])
        #expect(input("Bearer \(token)\nThanks").normalizations == ["2 lines of other text"])
    }

    @Test("What is cut off is found among others, and isn't completed by the words after it")
    func truncated() {
        let cut = String(base64.prefix(3000))
        let found = input("\(cut)\n\nThanks\n\(token)\nBye").items
        #expect(found == [.receipt(Array(cut.utf8)[...]), .token(token)])
        let cutToken = String(token.dropLast(50))
        #expect(input("\(cutToken)\nThanks\n\(base64)").items.map(\.text) == [cutToken, base64])
    }

    @Test("Long words of prose are never evidence")
    func lookAlikes() {
        let long = String(repeating: "Donaudampfschiffahrtsgesellschaft", count: 40)
        for word in [
            "M" + long, "MII" + long, "MIIT" + long, "eyJ" + long, "ewoJ" + long, "e" + long,
            "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC",
            "eyJ." + long + "." + long, "https://example.com/MII/" + long,
        ] {
            for text in [word, "a \(word) b", "\(word)\n\(word)", "> \(word)\n"] {
                #expect(input(text).items.count == 1, "\(text.prefix(12))")
            }
            let mail = "Hi\n\(word)\n\n\(base64)\n\(word) \(word)"
            #expect(contents(mail) == [base64], "\(word.prefix(12))")
        }
        #expect(contents("MII\(long)\n\(token)") == [token])
    }

    @Test(
        "A megabyte of prose, quotation marks or beginnings is read",
        arguments: [
            "word ", ">", "> ", "\n", "\n>\n", "eyJ", "eyJ ", "eyJ.", "MII\n", "{\"\n", "{\"a\"=\n", "{\n", "[", "= ",
            "=\n", "=3D",
            "\\", "eyJhbGciOiJFUzI1NiJ9\n", "eyJhbGciOiJFUzI1NiJ9.eyJhIjoxfQ\n", "ewoJInNpZ25hdHVyZSIgPSAiQQ\n",
            "MIAGCSqGSIb3DQEHAqCAMIACAQEx\n", "MIAGCSqGSIb3DQEHAqCAMIACAQEx\nabc\n", "MIIQAAYJKoZIhvcNAQcCoIIQADCC\n",
            "MIIQAAYJKoZIhvcNAQcCoIIQADCC\nabc,\n", "<", "<a", "<a ", "<br>", "<p>\n", "</",
            "Content-Transfer-Encoding: base64\n", "Content-Transfer-Encoding: base64\n\n",
            "Content-Transfer-Encoding: base64\n\nSGVsbG8=\n", "Content-Transfer-Encoding: base64\n\nSGVs\n\n",
        ])
    func largeText(_ part: String) {
        let text = Array(String(repeating: part, count: (1 << 20) / part.utf8.count).utf8)
        // Quadratic work would take minutes.
        #expect(!EvidenceInput(text).items.isEmpty)
    }
}
