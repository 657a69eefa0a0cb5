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

    // MARK: Forms that are read

    @Test("Definite lengths are DER, an indefinite one is BER")
    func binary() throws {
        let signed = try TestReceipt().signed()
        #expect(try ReceiptInput(signed).format == .der)
        #expect(try ReceiptInput(signed).der.elementsEqual(signed))
        let local = try TestReceipt().signedLikeXcode()
        #expect(try ReceiptInput(local).format == .ber)
        #expect(try ReceiptInput(local).der.elementsEqual(local))
    }

    @Test(
        "Base64 is read on one line, on many, and with white space around",
        arguments: ["", "\n", "\r\n", " \n", "\n\t"])
    func base64(lineBreak: String) throws {
        for text in [der.base64(lineBreak: lineBreak), "\n \(der.base64(lineBreak: lineBreak))\r\n"] {
            let input = try input(text)
            #expect(input.format == .base64)
            #expect(input.der.elementsEqual(der))
        }
    }

    @Test("Base64 of BER is read, though it starts with other letters than base64 of DER")
    func base64OfBER() throws {
        let local = try TestReceipt().signedLikeXcode()
        #expect(local.base64.hasPrefix("MIA"))
        #expect(try input(local.base64).der.elementsEqual(local))
    }

    @Test("PEM is read with each of its labels", arguments: ["PKCS7", "PKCS #7 SIGNED DATA", "CMS"], ["\n", "\r\n"])
    func pem(label: String, lineBreak: String) throws {
        for text in [der.pem(label, lineBreak: lineBreak), "\n\n" + der.pem(label, lineBreak: lineBreak) + " \n"] {
            let input = try input(text)
            #expect(input.format == .pem)
            #expect(input.der.elementsEqual(der))
        }
    }

    @Test("The same receipt comes out of every form and every collection of bytes")
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

    @Test("The formats have stable names")
    func formatNames() {
        #expect(ReceiptInput.Format.allCases.map(\.rawValue) == ["der", "ber", "base64", "pem"])
    }

    // MARK: What is refused

    @Test("Nothing, and nothing but white space, is empty", arguments: ["", " ", "\r\n\t"])
    func empty(text: String) {
        expectFailure(.inputEmpty, stage: .input) { try input(text) }
    }

    @Test(
        "What is no receipt in any form is unrecognized",
        arguments: [
            "hello, world", "<?xml version=\"1.0\"?>", "%PDF-1.7", "bplist00", "=", "-----BEG", "eyJ", "\u{0}",
            "PK\u{3}\u{4}",
        ])
    func unrecognized(text: String) {
        expectFailure(.inputUnrecognized, stage: .input) { try input(text) }
    }

    @Test(
        "Binary that does not start with a sequence is unrecognized", arguments: [[0x31, 0x00], [0xFF], [0x04, 0x00]])
    func unrecognizedBinary(bytes: [UInt8]) {
        expectFailure(.inputUnrecognized, stage: .input) { try ReceiptInput(bytes) }
    }

    @Test(
        "Base64 of something else is unrecognized",
        // "00p" was found by fuzzing: text whose first character is the tag of a sequence.
        arguments: [[0x31, 0x00], Array("hello, world".utf8), [0xFF], Array("00p".utf8)])
    func base64OfSomethingElse(bytes: [UInt8]) {
        expectFailure(.inputUnrecognized, stage: .input) { try input(bytes.base64) }
    }

    /// Base64 of a sequence: `30 06 02 01 FB 04 01 FF`.
    static let base64 = "MAYCAfsEAf8="

    @Test("The base64 that the following rules break is itself read")
    func unbroken() throws {
        #expect(try input(Self.base64).der.elementsEqual([0x30, 0x06, 0x02, 0x01, 0xFB, 0x04, 0x01, 0xFF]))
    }

    @Test(
        "Base64 that does not decode says where",
        arguments: [
            ("MAYCAfsEAf8", 11), ("MAYCAfsEAf8==", 12), ("MAYCAfsEAf9=", 12), ("MAYCAfsEAf8=M", 12),
            ("MAYCAfsEAf,=", 10),
            ("MAYCAfsEAf8=\n.", 13), ("MAYC\r\nAfsE%Af8=", 10), ("M", 1),
        ])
    func malformedBase64(text: String, offset: Int) {
        expectFailure(.inputBase64Malformed, stage: .input, at: offset) { try input(text) }
    }

    @Test("The alphabet for URLs is named in the message", arguments: [("MAYCAfsEAf-_", 10), ("MA_CAfsEAf8=", 2)])
    func urlAlphabet(text: String, offset: Int) {
        let error = expectFailure(.inputBase64Malformed, at: offset) { try input(text) }
        #expect(error?.message.contains("alphabet for URLs") == true)
        let other = expectFailure(.inputBase64Malformed) { try input("MA,CAfsEAf8=") }
        #expect(other?.message.contains("alphabet for URLs") == false)
    }

    @Test("A blank where a plus sign was is named in the message, whether or not what is left would decode")
    func blankForPlus() throws {
        // `30 01 F8` and on, with a plus sign: "MAH4+g==" is `30 01 F8 FA`.
        #expect(try input("MAH4+g==").der.elementsEqual([0x30, 0x01, 0xF8, 0xFA]))
        #expect(try input("MAH4\n +g==").der.elementsEqual([0x30, 0x01, 0xF8, 0xFA]))
        for text in ["MAH4 g==", "MAH4 +g==", "MAH4 +g==MAH4"] {
            let error = expectFailure(.inputBase64Malformed, at: 4) { try input(text) }
            #expect(error?.message.contains("blank") == true)
        }
        let cut = expectFailure(.inputBase64Malformed) { try input("MAH4g==") }
        #expect(cut?.message.contains("blank") == false)
    }

    @Test("Offsets in text count from the start of the input, white space before it included")
    func offsetsAfterWhiteSpace() {
        expectFailure(.inputBase64Malformed, at: 4) { try input("\r\nMA,CAfsEAf8=") }
        expectFailure(.inputBase64Malformed, at: 15) { try input("\n\n  MAYCAfsEAf8") }
        let pem = [0x30, 0x00].pem("PKCS7")
        expectFailure(.inputPEMMalformed, at: pem.utf8.count) { try input(pem + "x") }
        expectFailure(.inputPEMMalformed, at: pem.utf8.count + 3) { try input("\n\n\n" + pem + "x") }
    }

    @Test("Base64 of base64 is named, on one line or many")
    func twice() throws {
        let once = der.base64
        #expect(try input(once).format == .base64)
        expectFailure(.inputBase64Twice, stage: .input) { try input(Array(once.utf8).base64) }
        expectFailure(.inputBase64Twice) {
            try input(Array(der.base64(lineBreak: "\r\n").utf8).base64(lineBreak: "\n"))
        }
        expectFailure(.inputUnrecognized) { try input(Array("Zm9vYmFy".utf8).base64) }
    }

    @Test(
        "PEM with another label, without its end, without base64 or with something beside it is refused",
        arguments: [
            [0x30, 0x00].pem("CERTIFICATE"), [0x30, 0x00].pem("pkcs7"), [0x30, 0x00].pem("PKCS7 "),
            [0x30, 0x00].pem(""),
            [0x31, 0x00].pem("PKCS7"), [].pem("PKCS7"), Array("00p".utf8).pem("PKCS7"), "-----BEGIN PKCS7-----\nMAA=\n",
            "-----BEGIN PKCS7-----\nMAA=\n-----END CMS-----\n", "-----BEGIN PKCS7-----\nMAA\n-----END PKCS7-----\n",
            [0x30, 0x00].pem("PKCS7") + [0x30, 0x00].pem("PKCS7"), [0x30, 0x00].pem("PKCS7") + "# comment",
        ])
    func malformedPEM(text: String) throws {
        expectFailure(.inputPEMMalformed, stage: .input) { try input(text) }
        #expect(try input([0x30, 0x00].pem("PKCS7")).der.elementsEqual([0x30, 0x00]))
    }

    @Test(
        "A property-list transaction receipt from before iOS 7 is named, plain and in base64",
        arguments: [
            "{\n\t\"signature\" = \"AgAA\";\n\t\"purchase-info\" = \"ewoK\";\n}", "{\"signature\"=\"AgAA\";}",
            "\n{ \"environment\" = \"Sandbox\"; }",
        ])
    func transactionReceipt(text: String) {
        expectFailure(.inputTransactionReceipt, stage: .input) { try input(text) }
        if !text.hasPrefix("\n") {
            expectFailure(.inputTransactionReceipt, stage: .input) { try input(Array(text.utf8).base64) }
        }
    }

    @Test(
        "StoreKit 2 signed data is named, plain and in base64",
        arguments: ["eyJhbGciOiJFUzI1NiJ9.eyJ0eXBlIjoiQ29uc3VtYWJsZSJ9.c2ln", "eyJhbGciOiJFUzI1NiJ9..-_-_"])
    func signedData(text: String) {
        expectFailure(.inputSignedData, stage: .input) { try input(text) }
        expectFailure(.inputSignedData, stage: .input) { try input(text + "\n") }
        expectFailure(.inputSignedData, stage: .input) { try input(Array(text.utf8).base64) }
    }

    @Test("Signed data has three segments; with another count it is not called so")
    func segments() {
        expectFailure(.inputUnrecognized) { try input("eyJhbGciOiJFUzI1NiJ9.e30") }
        expectFailure(.inputUnrecognized) { try input("eyJhbGciOiJFUzI1NiJ9.e30.c2ln.c2ln") }
    }

    @Test(
        "JSON is named, plain and in base64",
        arguments: [
            "{\"receipt-data\":\"MIIT\"}", "{ \"receipt-data\" : \"MIIT\" }", "{}", "[]", "[\"MIIT\"]", "\"MIIT\"", "{",
            "{\"a = b\": 1}",
        ])
    func json(text: String) {
        expectFailure(.inputJSON, stage: .input) { try input(text) }
        expectFailure(.inputJSON, stage: .input) { try input("\n" + text) }
        expectFailure(.inputJSON, stage: .input) { try input(Array(text.utf8).base64) }
    }
}
