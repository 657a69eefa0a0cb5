import AppReceiptSupport
import AppReceiptTesting
import AppStoreServerAPI
import Crypto
import Foundation
import Testing

@Suite("AppStoreServerKey")
struct AppStoreServerKeyTests {
    @Test(
        "The text of a .p8 file is accepted, with a byte order mark, Windows line breaks, around blank lines and with escaped line breaks"
    )
    @available(AppStoreServerAPI 1.0, *)
    func forms() throws {
        let pem = try privateKey().pemRepresentation
        let forms = [
            pem, "\n  \(pem)\n\n", pem.replacing("\n", with: "\r\n"), pem.replacing("\n", with: "\\n"),
            "\u{FEFF}\(pem)",
        ]
        for form in forms {
            let key = try AppStoreServerKey(pem: form, keyIdentifier: "2X9R4HXF34", issuerIdentifier: issuer)
            #expect(key.keyIdentifier == "2X9R4HXF34")
            let bytes = try AppStoreServerKey(
                pem: Array(form.utf8), keyIdentifier: "2X9R4HXF34", issuerIdentifier: issuer.uppercased())
            #expect(bytes.issuerIdentifier == issuer)
        }
    }

    @Test("A file in another encoding, or without its end, is named")
    @available(AppStoreServerAPI 1.0, *)
    func encodings() throws {
        let key = try privateKey()
        let pem = key.pemRepresentation
        for (bytes, message) in [
            (Array(key.derRepresentation), "DER"), (pem.utf16.flatMap { [UInt8($0), 0] }, "UTF-16"),
            (Array(pem.utf8.prefix(100)), "END line is missing"),
        ] as [([UInt8], String)] {
            let error = #expect(throws: AppStoreServerError.self) {
                try AppStoreServerKey(pem: bytes, keyIdentifier: "2X9R4HXF34", issuerIdentifier: issuer)
            }
            #expect(error?.message.contains(message) == true)
        }
    }

    @Test("A file that isn't the private key is rejected with a message that says what it is")
    @available(AppStoreServerAPI 1.0, *)
    func otherFiles() throws {
        let pem = try privateKey().pemRepresentation
        let rsa = try TestKey.root.publicKeyInfo
        let files: [(String, String)] = [
            (try privateKey().publicKey.pemRepresentation, "public key"),
            (pem.replacing("PRIVATE KEY", with: "ENCRYPTED PRIVATE KEY"), "encrypted"),
            (pem.replacing("PRIVATE KEY", with: "RSA PRIVATE KEY"), "RSA"),
            (rsa.pem("PRIVATE KEY"), "RSA"),
            (P384.Signing.PrivateKey().pemRepresentation, "another elliptic curve"),
            (try TestPKI.signedData.root.der().pem("CERTIFICATE"), "certificate"),
            ("AuthKey_2X9R4HXF34.p8", "A path isn't accepted"),
            ("", "The file doesn't contain a private key (-----BEGIN PRIVATE KEY-----)."),
            (pem.replacing("MI", with: "M%"), "isn't base64"),
            (Array([UInt8](repeating: 0x30, count: 40)).pem("PRIVATE KEY"), "truncated"),
            (pem + "\n" + pem, "more than one key"), (pem + "\n-----BEGIN CERTIFICATE-----", "more than one key"),
            (Self.secp256k1, "another elliptic curve"), (Self.secp256k1SEC1, "another elliptic curve"),
        ]
        for (file, expected) in files {
            let error = #expect(throws: AppStoreServerError.self) {
                try AppStoreServerKey(pem: file, keyIdentifier: "2X9R4HXF34", issuerIdentifier: issuer)
            }
            #expect(error?.code == .keyInvalid)
            #expect(error?.message.contains(expected) == true, "\(error?.message ?? "")")
        }
    }

    // openssl ecparam -name secp256k1 -genkey -noout; openssl pkcs8 -topk8 -nocrypt. They protect nothing.
    private static let secp256k1SEC1 = """
        -----BEGIN EC PRIVATE KEY-----
        MHQCAQEEINdamLmC4BmeMlzrjg9f1gBv1ILmBMdPlMF1Y5wZR6VOoAcGBSuBBAAK
        oUQDQgAEpGlV7ABNReo714vclLXKlmBRvASerBH9/gmR6+J4YImX8sJzx7lKbKYZ
        c4FRd5hdrQdu2el5lFpnULgXnrxVrw==
        -----END EC PRIVATE KEY-----
        """
    private static let secp256k1 = """
        -----BEGIN PRIVATE KEY-----
        MIGEAgEAMBAGByqGSM49AgEGBSuBBAAKBG0wawIBAQQg11qYuYLgGZ4yXOuOD1/W
        AG/UguYEx0+UwXVjnBlHpU6hRANCAASkaVXsAE1F6jvXi9yUtcqWYFG8BJ6sEf3+
        CZHr4nhgiZfywnPHuUpsphlzgVF3mF2tB27Z6XmUWmdQuBeevFWv
        -----END PRIVATE KEY-----
        """

    @Test(
        "Malformed identifiers are rejected, and swapped ones are named",
        arguments: [
            (issuer, "2X9R4HXF34", "swapped"), ("", issuer, "key identifier"), ("2X9R 4HXF", issuer, "key identifier"),
            (issuer, issuer, "key identifier"), ("2X9R4HXF34", "", "issuer identifier"),
            ("2X9R4HXF34", "2X9R4HXF34", "issuer identifier"),
        ])
    @available(AppStoreServerAPI 1.0, *)
    func identifiers(_ key: String, _ issuer: String, _ expected: String) throws {
        let error = #expect(throws: AppStoreServerError.self) {
            try AppStoreServerKey(
                pem: privateKey().pemRepresentation, keyIdentifier: key, issuerIdentifier: issuer)
        }
        #expect(error?.code == .keyInvalid)
        #expect(error?.message.contains(expected) == true)
        #expect(error?.remedy.contains(".p8") == false)
    }

    @Test("No description of a key or client contains the private key")
    @available(AppStoreServerAPI 1.0, *)
    func descriptions() throws {
        let key = try testKey()
        let client = try makeClient(ScriptedTransport(.unauthenticated))
        var dumps = ["\(key)", String(reflecting: key), "\(client)", String(reflecting: client)]
        for value in [key, client, [key]] as [Any] {
            var text = ""
            dump(value, to: &text)
            dumps.append(text)
        }
        let raw = try privateKey().rawRepresentation
        let secrets = [raw.base64EncodedString(), Array(raw).hexadecimal(), try privateKey().pemRepresentation, "P256"]
        for text in dumps {
            for secret in secrets { #expect(!text.contains(secret), "\(text)") }
        }
        #expect(dumps[0] == "AppStoreServerKey(2X9R4HXF34)")
        #expect(dumps[2] == "AppStoreServerClient(com.example.app, production, sandbox)")
    }
}
