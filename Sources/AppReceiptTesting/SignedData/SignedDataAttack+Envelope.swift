import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData

// Segments, base64, the header, and the signature.

extension SignedDataAttack {
    static let envelopes: [Case] = [
        text("two segments", code: .tokenTruncated) { $0 = $0.split(separator: ".").prefix(2).joined(separator: ".") },
        text("four segments", code: .tokenMalformed) { $0 += ".AAAA" },
        text("five segments, as encrypted tokens have", code: .tokenMalformed) { $0 += ".AAAA.AAAA" },
        text("empty text", code: .tokenMalformed) { $0 = "" },
        text("only two periods", code: .tokenSignatureMalformed) { $0 = ".." },
        text("no signature", code: .tokenTruncated) {
            $0 = $0.split(separator: ".").prefix(2).joined(separator: ".") + "."
        },
        text("an empty header", code: .tokenHeaderMalformed) { $0 = String($0.drop { $0 != "." }) },
        text("an empty payload", code: .tokenPayloadMalformed) {
            let parts = $0.split(separator: ".")
            $0 = "\(parts[0])..\(parts[2])"
        },
        text("a Bearer prefix", code: .tokenMalformed) { $0 = "Bearer " + $0 },
        text("padding after the signature", code: .tokenBase64Malformed) { $0 += "==" },
        text("a line break at the end", code: .tokenMalformed) { $0 += "\n" },
        text("a line break in a segment", code: .tokenBase64Malformed) {
            $0.insert("\n", at: $0.index($0.startIndex, offsetBy: 76))
        },
        text("a space at the beginning", code: .tokenMalformed) { $0 = " " + $0 },
        text("a space in the signature", code: .tokenBase64Malformed) {
            $0.insert(" ", at: $0.index($0.endIndex, offsetBy: -4))
        },
        text("a byte order mark", code: .tokenMalformed) { $0 = "\u{FEFF}" + $0 },
        text("a zero byte at the end", code: .tokenBase64Malformed) { $0 += "\0" },
        text("quotation marks around the token", code: .tokenMalformed) { $0 = "\"\($0)\"" },
        text("a full-width letter at the beginning", code: .tokenBase64Malformed) { $0 = "ｅ" + $0.dropFirst() },
        text("unused bits set in the last character of the signature", code: .tokenBase64Malformed) { text in
            // The last character of 64 bytes encodes only two bits.
            guard let last = text.last, let index = Self.alphabet.firstIndex(of: last) else { return }
            text.removeLast()
            text.append(Self.alphabet[index ^ 1])
        },
        text("base64 instead of base64url in the signature", code: .tokenBase64Malformed) {
            $0.removeLast(5)
            $0 += "+/+/A"
        },
        Case("more bytes than the limit", code: .tokenTooLarge, twin: { $0.limits.maxTokenBytes = 100_000 }) {
            $0.limits.maxTokenBytes = 1000
        },
        token("more header bytes than the limit", code: .tokenTooLarge) {
            $0.header["pad"] = .string(String(repeating: "a", count: 40_000))
        },
    ]

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")

    private static func text(
        _ name: String, code: ReceiptError.Code, harm change: @escaping @Sendable (inout String) -> Void
    ) -> Case {
        Case(name, code: code) { $0.text = { change(&$0) } }
    }

    static let headers: [Case] =
        algorithms + certificateLists + [
            token(
                "crit with a member that the header contains", code: .tokenHeaderCritical,
                twin: { $0.header["exp"] = 1 }
            ) {
                $0.header["crit"] = ["exp"]
                $0.header["exp"] = 1
            },
            token("crit that is empty", code: .tokenHeaderCritical) { $0.header["crit"] = [] },
            token("crit that is null", code: .tokenHeaderCritical) { $0.header["crit"] = .null },
            token("an unencoded payload (RFC 7797)", code: .tokenHeaderCritical) {
                $0.header["crit"] = ["b64"]
                $0.header["b64"] = false
            },
            headerText("alg twice, the second time none", code: .tokenHeaderMalformed) {
                "{\"alg\":\"ES256\",\"alg\":\"none\"," + $0
            },
            headerText("alg twice, the second time in escapes", code: .tokenHeaderMalformed) {
                "{\"alg\":\"ES256\",\"\\u0061lg\":\"none\"," + $0
            },
            headerText("x5c twice", code: .tokenHeaderMalformed) { "{\"alg\":\"ES256\",\"x5c\":[]," + $0 },
            headerText("a member without a value", code: .tokenHeaderMalformed) { "{\"alg\":\"ES256\",\"kid\":," + $0 },
            headerText("single quotation marks", code: .tokenHeaderMalformed) { "{'alg':'ES256'," + $0 },
            headerText("a comment", code: .tokenHeaderMalformed) { "/**/{\"alg\":\"ES256\"," + $0 },
            headerText("a byte order mark in the header", code: .tokenHeaderMalformed) {
                "\u{FEFF}{\"alg\":\"ES256\"," + $0
            },
            token("an array instead of an object", code: .tokenHeaderMalformed) {
                $0.headerText = Array("[\"ES256\"]".utf8)
            },
            token("a header that isn't UTF-8", code: .tokenHeaderMalformed) {
                $0.headerText = Array("{\"alg\":\"ES256\",\"kid\":\"".utf8) + [0xC0, 0xAF] + Array("\"}".utf8)
            },
            token("deeply nested objects", code: .tokenHeaderMalformed, twin: { $0.header["kid"] = nested(10) }) {
                $0.header["kid"] = nested(400)
            },
            token(
                "a signature by another key, to which kid, jku and jwk refer", code: .signatureInvalid,
                twin: { addForeignKeyMembers(&$0) }
            ) {
                addForeignKeyMembers(&$0)
                $0.key = .foreignSigner
            },
        ]

    private static let algorithms: [Case] = [
        token("alg none, without a signature", code: .tokenSignatureMalformed) {
            $0.header["alg"] = "none"
            $0.signature = .bytes([])
        },
        token("alg none, with 64 zeros", code: .tokenAlgorithmUnsupported) {
            $0.header["alg"] = "none"
            $0.signature = .bytes([UInt8](repeating: 0, count: 64))
        },
        token("alg none, with a valid signature", code: .tokenAlgorithmUnsupported) { $0.header["alg"] = "none" },
        token("alg None", code: .tokenAlgorithmUnsupported) { $0.header["alg"] = "None" },
        token("alg that is empty", code: .tokenAlgorithmUnsupported) { $0.header["alg"] = "" },
        token("alg that is null", code: .tokenAlgorithmUnsupported) { $0.header["alg"] = .null },
        token("alg that is an array", code: .tokenAlgorithmUnsupported) { $0.header["alg"] = ["ES256"] },
        token("no alg", code: .tokenAlgorithmUnsupported) { $0.header["alg"] = nil },
        token("alg in lowercase", code: .tokenAlgorithmUnsupported) { $0.header["alg"] = "es256" },
        token("alg with a space", code: .tokenAlgorithmUnsupported) { $0.header["alg"] = "ES256 " },
        token("HS256 with the public key as the secret", code: .tokenSignatureMalformed) {
            $0.header["alg"] = "HS256"
            $0.signature = .hmac(try TestKey.ellipticSigner.publicKeyInfo)
        },
        token("HS512 with 64 bytes and the public key as the secret", code: .tokenAlgorithmUnsupported) {
            $0.header["alg"] = "HS512"
            $0.signature = .bytes(TestDigest.sha512.digest(of: try TestKey.ellipticSigner.publicKeyInfo))
        },
        token("ES384", code: .tokenAlgorithmUnsupported) { $0.header["alg"] = "ES384" },
        token("ES256K", code: .tokenAlgorithmUnsupported) { $0.header["alg"] = "ES256K" },
        token("EdDSA", code: .tokenAlgorithmUnsupported) { $0.header["alg"] = "EdDSA" },
        Case("RS256 with an RSA signer", code: .tokenSignatureMalformed) {
            $0.pki.signer.key = .signer
            $0.token = {
                $0.header["alg"] = "RS256"
                $0.signature = .native
            }
        },
    ]

    private static let certificateLists: [Case] = [
        token("no certificates", code: .tokenCertificatesMissing) { $0.header["x5c"] = nil },
        token("the public key instead of certificates", code: .tokenCertificatesMissing) {
            $0.header["x5c"] = nil
            addForeignKeyMembers(&$0)
        },
        token("certificates that are null", code: .tokenCertificatesMissing) { $0.header["x5c"] = .null },
        token("certificates that are a string", code: .tokenCertificatesMissing) {
            $0.header["x5c"] = $0.header["x5c"]?.array?.first
        },
        certificates("an empty list", code: .tokenCertificateCount) { $0 = [] },
        certificates("two certificates", code: .tokenCertificateCount) { $0.removeLast() },
        certificates(
            "only the signer's certificate, for sandbox data", code: .tokenCertificateCount, check: .certificateChain
        ) { $0.removeLast(2) },
        certificates("four certificates", code: .tokenCertificateCount) { $0.append($0[2]) },
        certificates("a thousand certificates", code: .tokenTooLarge) {
            $0 = [AppStoreJSON](repeating: $0[0], count: 1000)
        },
        certificates("a number instead of the intermediate", code: .tokenCertificatesMalformed) { $0[1] = 7 },
        certificates("a number instead of the root", code: .tokenCertificatesMalformed) { $0[2] = 7 },
        certificates("signer and intermediate exchanged", code: .signerIsAuthority) { $0.swapAt(0, 1) },
        certificates("intermediate and root exchanged", code: .intermediateMissing) { $0.swapAt(1, 2) },
        certificates("the root first", code: .signerSelfSigned) { $0.reverse() },
        certificates("the signer twice", code: .intermediateMissing) { $0[1] = $0[0] },
        certificates("base64url instead of base64", code: .tokenCertificatesMalformed) { list in
            // Every certificate has some of these characters.
            list[1] = .string(
                String((list[1].string ?? "").map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }))
        },
        certificates("a line break in a certificate", code: .tokenCertificatesMalformed) {
            $0[0] = .string("\n" + ($0[0].string ?? ""))
        },
        certificates("PEM instead of base64", code: .tokenCertificatesMalformed) {
            $0[0] = .string("-----BEGIN CERTIFICATE-----\n\($0[0].string ?? "")\n-----END CERTIFICATE-----")
        },
        certificates("a byte after the signer's certificate", code: .certificateMalformed) {
            $0[0] = .string(TestToken.base64(bytes(of: $0[0]) + [0]))
        },
        certificates("a byte missing in the intermediate's certificate", code: .certificateMalformed) {
            $0[1] = .string(TestToken.base64(bytes(of: $0[1]).dropLast()))
        },
        certificates("a certificate larger than 4 KiB", code: .tokenCertificatesMalformed) {
            $0[1] = .string(TestToken.base64(bytes(of: $0[1]) + [UInt8](repeating: 0, count: 4096)))
        },
    ]

    private static func bytes(of value: AppStoreJSON) -> [UInt8] {
        (try? Base64.decode(ArraySlice((value.string ?? "").utf8))) ?? []
    }

    /// Creates an attack on the token before it is encoded.
    static func token(
        _ name: String, code: ReceiptError.Code, check: ValidationCheck? = nil,
        twin: @escaping @Sendable (inout TestToken) throws -> Void = { _ in },
        harm change: @escaping @Sendable (inout TestToken) throws -> Void
    ) -> Case {
        Case(
            name, code: code, check: check, twin: { $0.token = { try twin(&$0) } },
            harm: { $0.token = { try change(&$0) } })
    }

    /// Creates an attack on the beginning of the header's JSON. `change` receives the text after the algorithm.
    private static func headerText(
        _ name: String, code: ReceiptError.Code, harm change: @escaping @Sendable (String) -> String
    ) -> Case {
        token(
            name, code: code, twin: { $0.headerText = Array(("{\"alg\":\"ES256\"," + rest(of: $0.header)).utf8) },
            harm: { $0.headerText = Array(change(rest(of: $0.header)).utf8) })
    }

    private static func rest(of header: AppStoreJSON.Object) -> String {
        var rest = header
        rest["alg"] = nil
        return String(String(decoding: AppStoreJSON.object(rest).text(), as: UTF8.self).dropFirst())
    }

    private static func certificates(
        _ name: String, code: ReceiptError.Code, check: ValidationCheck? = nil,
        harm change: @escaping @Sendable (inout [AppStoreJSON]) -> Void
    ) -> Case {
        token(name, code: code, check: check) {
            var list = $0.header["x5c"]?.array ?? []
            change(&list)
            $0.header["x5c"] = .array(list)
        }
    }

    /// Adds the members in which naive verifiers look for a key.
    private static func addForeignKeyMembers(_ token: inout TestToken) {
        token.header["kid"] = "key"
        token.header["jku"] = "https://example.com/keys.json"
        token.header["x5u"] = "https://example.com/certificate.pem"
        token.header["jwk"] = ["kty": "EC", "crv": "P-256", "x": "AAAA", "y": "AAAA"]
    }

    static func nested(_ depth: Int) -> AppStoreJSON {
        var value: AppStoreJSON = 1
        for _ in 0..<depth { value = ["a": value] }
        return value
    }

    static let signatures: [Case] = [
        token("DER instead of r and s", code: .tokenSignatureMalformed) { $0.signature = .der },
        bytes("63 bytes", code: .tokenTruncated, bytes: [UInt8](repeating: 1, count: 63)),
        bytes("65 bytes", code: .tokenSignatureMalformed, bytes: [UInt8](repeating: 1, count: 65)),
        bytes("96 bytes, as in ES384", code: .tokenSignatureMalformed, bytes: [UInt8](repeating: 1, count: 96)),
        bytes("r and s zero", code: .signatureInvalid, bytes: [UInt8](repeating: 0, count: 64)),
        bytes(
            "r zero", code: .signatureInvalid,
            bytes: [UInt8](repeating: 0, count: 32) + [UInt8](repeating: 1, count: 32)),
        bytes(
            "s zero", code: .signatureInvalid,
            bytes: [UInt8](repeating: 1, count: 32) + [UInt8](repeating: 0, count: 32)),
        bytes(
            "r and s one", code: .signatureInvalid,
            bytes: ([UInt8](repeating: 0, count: 31) + [1]) + [UInt8](repeating: 0, count: 31) + [1]),
        bytes("r and s equal to the order of the curve", code: .signatureInvalid, bytes: order + order),
        bytes(
            "s equal to the order of the curve", code: .signatureInvalid,
            bytes: [UInt8](repeating: 1, count: 32) + order),
        bytes("all bits set", code: .signatureInvalid, bytes: [UInt8](repeating: 0xFF, count: 64)),
        token("a signature by another key", code: .signatureInvalid) { $0.key = .foreignSigner },
        Case("the signature of another token", code: .signatureInvalid) {
            let other = try TestTransaction("com.example.other", transaction: "9").signed()
            $0.text = {
                $0 =
                    $0.split(separator: ".").prefix(2).joined(separator: ".") + "."
                    + (other.split(separator: ".").last ?? "")
            }
        },
        Case("the payload altered after signing", code: .signatureInvalid) {
            let members = TestTransaction("com.example.everything", transaction: "1").members
            $0.text = {
                let parts = $0.split(separator: ".")
                $0 = "\(parts[0]).\(Base64URL.encode(AppStoreJSON.object(members).text())).\(parts[2])"
            }
        },
        Case("the header altered after signing", code: .signatureInvalid) {
            $0.text = {
                let parts = $0.split(separator: ".")
                guard let header = try? Base64URL.decode(ArraySlice(parts[0].utf8)) else { return }
                $0 = "\(Base64URL.encode(Array("{\"kid\":\"1\",".utf8) + header.dropFirst())).\(parts[1]).\(parts[2])"
            }
        },
        Case("a space added to the header's JSON after signing", code: .signatureInvalid) {
            $0.text = {
                let parts = $0.split(separator: ".")
                guard let header = try? Base64URL.decode(ArraySlice(parts[0].utf8)) else { return }
                $0 = "\(Base64URL.encode(header + [0x20])).\(parts[1]).\(parts[2])"
            }
        },
        Case("an RSA signer", code: .tokenSignatureMalformed) { $0.pki.signer.key = .signer },
        Case("an RSA signer with a signature of 64 bytes", code: .signatureKeyMismatch) {
            $0.pki.signer.key = .signer
            $0.token = { $0.signature = .bytes([UInt8](repeating: 1, count: 64)) }
        },
        Case("a P-384 signer", code: .signatureKeyMismatch) {
            $0.pki.signer.key = .ellipticIntermediate
            $0.token = { $0.signature = .bytes([UInt8](repeating: 1, count: 64)) }
        },
    ]

    /// The order of P-256 (SEC 2, section 2.4.2).
    private static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC, 0xE6, 0xFA, 0xAD,
        0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]

    private static func bytes(_ name: String, code: ReceiptError.Code, bytes: [UInt8]) -> Case {
        token(name, code: code) { $0.signature = .bytes(bytes) }
    }
}
