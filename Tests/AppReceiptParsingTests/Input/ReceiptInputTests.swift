import AppReceiptParsing
import AppReceiptSupport
import AppReceiptTesting
import Foundation
import TestSupport
import Testing

@Suite("Recognizing input")
struct ReceiptInputTests {
    private let der = ContainerParts().bytes

    private func input(_ text: String) throws(ReceiptError) -> ReceiptInput { try ReceiptInput(Array(text.utf8)) }

    // MARK: Accepted forms

    @Test("Input of definite length is DER, and of indefinite length is BER")
    func binary() throws {
        let signed = try TestReceipt().signed()
        #expect(try ReceiptInput(signed).format == .der)
        #expect(try ReceiptInput(signed).containerBytes.elementsEqual(signed))
        let local = try TestReceipt().signedLikeXcode()
        #expect(try ReceiptInput(local).format == .ber)
        #expect(try ReceiptInput(local).containerBytes.elementsEqual(local))
    }

    @Test(
        "Base64 can have line breaks and surrounding whitespace",
        arguments: ["", "\n", "\r\n", " \n", "\n\t"])
    func base64(lineBreak: String) throws {
        for text in [der.base64(lineBreak: lineBreak), "\n \(der.base64(lineBreak: lineBreak))\r\n"] {
            let input = try input(text)
            #expect(input.format == .base64)
            #expect(input.containerBytes.elementsEqual(der))
        }
    }

    @Test("Base64 of BER is accepted")
    func base64OfBER() throws {
        let local = try TestReceipt().signedLikeXcode()
        #expect(local.base64.hasPrefix("MIA"))
        #expect(try input(local.base64).containerBytes.elementsEqual(local))
    }

    @Test(
        "PEM is accepted with each of its labels", arguments: ["PKCS7", "PKCS #7 SIGNED DATA", "CMS"], ["\n", "\r\n"])
    func pem(label: String, lineBreak: String) throws {
        for text in [der.pem(label, lineBreak: lineBreak), "\n\n" + der.pem(label, lineBreak: lineBreak) + " \n"] {
            let input = try input(text)
            #expect(input.format == .pem)
            #expect(input.containerBytes.elementsEqual(der))
        }
    }

    @Test("Every form and every collection of bytes results in the same receipt")
    func sameReceipt() throws {
        let test = TestReceipt().with { $0.purchases = [TestPurchase("pro", transaction: "1", at: $0.creationDate)] }
        let bytes = try test.signed()
        let receipt = try AppReceipt(parsing: bytes)
        #expect(receipt.bundleIdentifier == "com.example.app")
        #expect(try AppReceipt(parsing: Data(bytes)) == receipt)
        #expect(try AppReceipt(parsing: ContiguousArray(bytes)) == receipt)
        #expect(try AppReceipt(parsing: ([1, 2, 3] + bytes + [4]).dropFirst(3).dropLast()) == receipt)
        #expect(try AppReceipt(parsing: Data([1, 2, 3] + bytes).dropFirst(3)) == receipt)
        #expect(try AppReceipt(parsing: bytes.base64.utf8) == receipt)
        #expect(try AppReceipt(parsing: bytes.base64(lineBreak: "\r\n").utf8) == receipt)
        #expect(try AppReceipt(parsing: bytes.pem("PKCS7").utf8) == receipt)
        #expect(try AppReceipt(parsing: [0xEF, 0xBB, 0xBF] + Array(bytes.base64.utf8)) == receipt)
        let container = try TestContainer(content: test.payload, signedBy: .standard)
        for pieces in [1, 2, 7] {
            let ber = try container.with { $0.encoding = .ber(pieces: pieces) }.encoded()
            #expect(try AppReceipt(parsing: ber) == receipt)
            #expect(try AppReceipt(parsing: ber.base64.utf8) == receipt)
        }
    }

    @Test("The formats have stable raw values")
    func formatNames() {
        #expect(ReceiptInput.Format.allCases.map(\.rawValue) == ["der", "ber", "base64", "pem"])
    }

    // MARK: Rejected

    @Test("Input without bytes or with whitespace only is empty", arguments: ["", " ", "\r\n\t"])
    func empty(text: String) {
        expectFailure(.inputEmpty, check: .input) { try input(text) }
    }

    @Test(
        "Other text is unrecognized",
        arguments: [
            "hello, world", "<?xml version=\"1.0\"?>", "%PDF-1.7", "bplist00", "=", "-----BEG", "eyJ", "\u{0}",
            "PK\u{3}\u{4}",
        ])
    func unrecognized(text: String) {
        expectFailure(.inputUnrecognized, check: .input) { try input(text) }
    }

    @Test(
        "Binary that doesn't start with a sequence is unrecognized", arguments: [[0x31, 0x00], [0xFF], [0x04, 0x00]])
    func unrecognizedBinary(bytes: [UInt8]) {
        expectFailure(.inputUnrecognized, check: .input) { try ReceiptInput(bytes) }
    }

    @Test(
        "Base64 of other data is unrecognized",
        // "00p" was found by fuzzing: text whose first character is the tag of a sequence.
        arguments: [[0x31, 0x00], Array("hello, world".utf8), [0xFF], Array("00p".utf8)])
    func base64OfSomethingElse(bytes: [UInt8]) {
        expectFailure(.inputUnrecognized, check: .input) { try input(bytes.base64) }
    }

    /// Base64 of a sequence: `30 06 02 01 FB 04 01 FF`.
    static let base64 = "MAYCAfsEAf8="

    @Test("The valid base64 on which the malformed ones are based is accepted")
    func unbroken() throws {
        #expect(try input(Self.base64).containerBytes.elementsEqual([0x30, 0x06, 0x02, 0x01, 0xFB, 0x04, 0x01, 0xFF]))
    }

    @Test(
        "Malformed base64 is rejected at the position",
        arguments: [
            ("MAYCAfsEAf8", 11), ("MAYCAfsEAf8==", 12), ("MAYCAfsEAf9=", 12), ("MAYCAfsEAf8=M", 12),
            ("MAYCAfsEAf,=", 10),
            ("MAYCAfsEAf8=\n.", 13), ("MAYC\r\nAfsE%Af8=", 10), ("M", 1),
        ])
    func malformedBase64(text: String, offset: Int) {
        expectFailure(.inputBase64Malformed, check: .input, at: offset) { try input(text) }
    }

    @Test(
        "The message for base64 in the alphabet for URLs explains the cause",
        arguments: [("MAYCAfsEAf-_", 10), ("MA_CAfsEAf8=", 2)])
    func urlAlphabet(text: String, offset: Int) {
        let error = expectFailure(.inputBase64Malformed, at: offset) { try input(text) }
        #expect(error?.message.contains("alphabet for URLs") == true)
        let other = expectFailure(.inputBase64Malformed) { try input("MA,CAfsEAf8=") }
        #expect(other?.message.contains("alphabet for URLs") == false)
    }

    @Test("The message for a space instead of a plus sign explains the cause")
    func spaceForPlus() throws {
        // "MAH4+g==" is `30 01 F8 FA`.
        #expect(try input("MAH4+g==").containerBytes.elementsEqual([0x30, 0x01, 0xF8, 0xFA]))
        #expect(try input("MAH4\n +g==").containerBytes.elementsEqual([0x30, 0x01, 0xF8, 0xFA]))
        let rest = String(repeating: "MAH4", count: 25)
        for text in ["MAH4 g==", "MAH4 +g==", "MAH4 +g==MAH4"] {
            let error = expectFailure(.inputBase64Malformed, at: 4) { try input(text + rest) }
            #expect(error?.message.contains("space") == true)
        }
        let truncated = expectFailure(.inputBase64Malformed) { try input("MAH4g==") }
        #expect(truncated?.message.contains("space") == false)
    }

    @Test(
        "Words that begin like base64 are unrecognized",
        arguments: [
            "My account: user-42", "Mine is locked, I paid", "Meine App geht nicht", "Midnight update broke the app",
            "Merhaba,\n\nI paid", "MEINE APP GEHT NICHT", "M4 Mac mini", "Mon compte est user-42",
        ])
    func words(text: String) {
        expectFailure(.inputUnrecognized, check: .input) { try input(text) }
    }

    @Test("Offsets in text are relative to the start of the input, including leading whitespace")
    func offsetsAfterWhiteSpace() {
        expectFailure(.inputBase64Malformed, at: 4) { try input("\r\nMA,CAfsEAf8=") }
        expectFailure(.inputBase64Malformed, at: 15) { try input("\n\n  MAYCAfsEAf8") }
        let pem = [0x30, 0x00].pem("PKCS7")
        expectFailure(.inputPEMMalformed, at: pem.utf8.count) { try input(pem + "x") }
        expectFailure(.inputPEMMalformed, at: pem.utf8.count + 3) { try input("\n\n\n" + pem + "x") }
    }

    @Test("Base64 of base64 has its own code, with or without line breaks")
    func twice() throws {
        let once = der.base64
        #expect(try input(once).format == .base64)
        expectFailure(.inputBase64Twice, check: .input) { try input(Array(once.utf8).base64) }
        expectFailure(.inputBase64Twice) {
            try input(Array(der.base64(lineBreak: "\r\n").utf8).base64(lineBreak: "\n"))
        }
        expectFailure(.inputUnrecognized) { try input(Array("Zm9vYmFy".utf8).base64) }
    }

    @Test(
        "PEM with another label, without an END line, without base64 or with other text is rejected",
        arguments: [
            [0x30, 0x00].pem("CERTIFICATE"), [0x30, 0x00].pem("pkcs7"), [0x30, 0x00].pem("PKCS7 "),
            [0x30, 0x00].pem(""),
            [0x31, 0x00].pem("PKCS7"), [].pem("PKCS7"), Array("00p".utf8).pem("PKCS7"), "-----BEGIN PKCS7-----\nMAA=\n",
            "-----BEGIN PKCS7-----\nMAA=\n-----END CMS-----\n", "-----BEGIN PKCS7-----\nMAA\n-----END PKCS7-----\n",
            [0x30, 0x00].pem("PKCS7") + [0x30, 0x00].pem("PKCS7"), [0x30, 0x00].pem("PKCS7") + "# comment",
        ])
    func malformedPEM(text: String) throws {
        expectFailure(.inputPEMMalformed, check: .input) { try input(text) }
        #expect(try input([0x30, 0x00].pem("PKCS7")).containerBytes.elementsEqual([0x30, 0x00]))
    }

    @Test(
        "A transaction receipt from before iOS 7 has its own code, plain and in base64",
        arguments: [
            "{\n\t\"signature\" = \"AgAA\";\n\t\"purchase-info\" = \"ewoK\";\n}", "{\"signature\"=\"AgAA\";}",
            "\n{ \"environment\" = \"Sandbox\"; }",
        ])
    func transactionReceipt(text: String) {
        expectFailure(.inputTransactionReceipt, check: .input) { try input(text) }
        if !text.hasPrefix("\n") {
            expectFailure(.inputTransactionReceipt, check: .input) { try input(Array(text.utf8).base64) }
        }
    }

    @Test(
        "StoreKit 2 signed data has its own code, plain and in base64",
        arguments: ["eyJhbGciOiJFUzI1NiJ9.eyJ0eXBlIjoiQ29uc3VtYWJsZSJ9.c2ln", "eyJhbGciOiJFUzI1NiJ9..-_-_"])
    func signedData(text: String) {
        expectFailure(.inputSignedData, check: .input) { try input(text) }
        expectFailure(.inputSignedData, check: .input) { try input(text + "\n") }
        expectFailure(.inputSignedData, check: .input) { try input(Array(text.utf8).base64) }
    }

    @Test("Text without exactly three segments isn't signed data")
    func segments() {
        expectFailure(.inputUnrecognized) { try input("eyJhbGciOiJFUzI1NiJ9.e30") }
        expectFailure(.inputUnrecognized) { try input("eyJhbGciOiJFUzI1NiJ9.e30.c2ln.c2ln") }
    }

    @Test(
        "JSON has its own code, plain and in base64",
        arguments: [
            "{\"receipt-data\":\"MIIT\"}", "{ \"receipt-data\" : \"MIIT\" }", "{}", "[]", "[\"MIIT\"]", "\"MIIT\"", "{",
            "{\"a = b\": 1}",
        ])
    func json(text: String) {
        expectFailure(.inputJSON, check: .input) { try input(text) }
        expectFailure(.inputJSON, check: .input) { try input("\n" + text) }
        expectFailure(.inputJSON, check: .input) { try input(Array(text.utf8).base64) }
    }
}
