import AppReceiptFoundation
import AppReceiptKit

// The format of the input. If a verifier repairs malformed text, the attacker chooses the result.

extension Attack {
    static let input: [Case] = [
        Case("no bytes", code: .inputEmpty) { $0.bytes = { $0 = [] } },
        Case("more bytes than the limit", code: .inputTooLarge, given: { $0.limits.maxInputBytes = 8000 }) {
            $0.bytes = { $0 += [UInt8](repeating: 0, count: 8000) }
        },
        Case("only whitespace", code: .inputEmpty) { $0.bytes = { $0 = Array(" \r\n\t".utf8) } },
        Case("garbage", code: .inputUnrecognized) { $0.bytes = { $0 = [0xFF, 0x00, 0x01] } },
        Case("text of zeros, which have the tag of a sequence", code: .inputUnrecognized) {
            $0.bytes = { $0 = [UInt8](repeating: 0x30, count: 200) }
        },
        Case("JSON", code: .inputJSON) { $0.bytes = { $0 = Array(#"{"receipt-data": ""}"#.utf8) } },
        Case("a property list", code: .inputTransactionReceipt) {
            $0.bytes = { $0 = Array("{\n\t\"signature\" = \"AA==\";\n}".utf8) }
        },
        Case("signed data of StoreKit 2", code: .inputSignedData) {
            $0.bytes = { $0 = Array("eyJhbGciOiJFUzI1NiJ9.eyJhIjoxfQ.AAAA".utf8) }
        },
        Case("a certificate", code: .containerNotSignedData) {
            $0.bytes = { $0 = try TestPKI.standard.root.der() }
        },
        Case("a certificate in PEM", code: .inputPEMMalformed) {
            $0.bytes = { $0 = Array(try TestPKI.standard.root.pem().utf8) }
        },

        base64("base64 of base64", code: .inputBase64Twice) { Data($0.utf8).base64EncodedString() },
        base64("base64 of something else", code: .inputUnrecognized) { _ in Data("TWO".utf8).base64EncodedString() },
        base64("base64 with a character outside the alphabet") { $0.substituting(at: 100, with: "!") },
        base64("base64 with a zero byte") { $0.substituting(at: 100, with: "\0") },
        base64("base64 with a base64url character") { $0.substituting(at: 100, with: "-") },
        base64("base64 with a space in the middle of a line") { $0.substituting(at: 100, with: " ") },
        base64("base64 with padding in the middle") { $0.substituting(at: 100, with: "=") },
        base64("base64 without padding") { $0.withoutPadding() },
        base64("base64 with too much padding") { $0 + "=" },
        base64("base64 with text after the padding") { $0 + "AAAA" },
        base64("base64 without its last character") { String($0.withoutPadding().dropLast()) },
        base64("base64 with unused bits set") { text in
            // The last character before "==" contains two bits of the byte and four that must be zero.
            let digits = text.withoutPadding()
            return digits.dropLast() + (digits.last == "A" ? "B" : "h") + "=="
        },

        pem("PEM without an end line", begin: "-----BEGIN PKCS7-----\n", end: "\n"),
        pem("PEM with another label in its end line", begin: "-----BEGIN PKCS7-----\n", end: "\n-----END CMS-----\n"),
        pem("PEM with an unknown label", begin: "-----BEGIN RECEIPT-----\n", end: "\n-----END RECEIPT-----\n"),
        pem(
            "PEM labeled as a certificate", begin: "-----BEGIN CERTIFICATE-----\n", end: "\n-----END CERTIFICATE-----\n"
        ),
        pem("PEM with text after it", begin: "-----BEGIN PKCS7-----\n", end: "\n-----END PKCS7-----\nAAAA\n"),
        pem("PEM with headers", begin: "-----BEGIN PKCS7-----\nComment: none\n\n", end: "\n-----END PKCS7-----\n"),
        pem("PEM with an empty block", begin: "-----BEGIN PKCS7-----\n-----END PKCS7-----\n", end: ""),
        Case("two PEM blocks", code: .inputPEMMalformed, twin: { $0.bytes = { $0 = armored($0) } }) {
            $0.bytes = { $0 = armored($0) + armored($0) }
        },
    ]

    /// Creates an attack on base64. The twin is valid base64 with two padding characters.
    private static func base64(
        _ name: String, code: ReceiptError.Code = .inputBase64Malformed,
        harm change: @escaping @Sendable (String) -> String
    ) -> Case {
        Case(
            name, code: code, given: { $0.receipt.opaqueValue = Array(0...16) },
            twin: { $0.bytes = { $0 = Array(Data($0).base64EncodedString().utf8) } },
            harm: { $0.bytes = { $0 = Array(change(Data($0).base64EncodedString()).utf8) } })
    }

    private static func pem(_ name: String, begin: String, end: String) -> Case {
        Case(
            name, code: .inputPEMMalformed, twin: { $0.bytes = { $0 = armored($0) } },
            harm: { $0.bytes = { $0 = Array((begin + Data($0).base64EncodedString() + end).utf8) } })
    }

    private static func armored(_ bytes: [UInt8]) -> [UInt8] {
        Array("-----BEGIN PKCS7-----\n\(Data(bytes).base64EncodedString())\n-----END PKCS7-----\n".utf8)
    }
}

extension String {
    fileprivate func substituting(at position: Int, with character: Character) -> String {
        var characters = Array(self)
        characters[position] = character
        return String(characters)
    }

    /// Returns the text without padding.
    fileprivate func withoutPadding() -> String { String(reversed().drop { $0 == "=" }.reversed()) }
}
