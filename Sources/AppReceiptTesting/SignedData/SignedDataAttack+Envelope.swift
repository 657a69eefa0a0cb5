import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData

// Segments, base64, the header, and the signature.

extension SignedDataAttack {
    static let envelopes: [SignedDataAttack] = [
        text("two segments", .tokenTruncated) { $0 = $0.split(separator: ".").prefix(2).joined(separator: ".") },
        text("four segments", .tokenMalformed) { $0 += ".AAAA" },
        text("five segments, as encrypted tokens have", .tokenMalformed) { $0 += ".AAAA.AAAA" },
        text("empty text", .tokenMalformed) { $0 = "" },
        text("only two periods", .tokenSignatureMalformed) { $0 = ".." },
        text("no signature", .tokenTruncated) {
            $0 = $0.split(separator: ".").prefix(2).joined(separator: ".") + "."
        },
        text("an empty header", .tokenHeaderMalformed) { $0 = String($0.drop { $0 != "." }) },
        text("an empty payload", .tokenPayloadMalformed) {
            let parts = $0.split(separator: ".")
            $0 = "\(parts[0])..\(parts[2])"
        },
        text("a Bearer prefix", .tokenMalformed) { $0 = "Bearer " + $0 },
        text("padding after the signature", .tokenBase64Malformed) { $0 += "==" },
        text("a line break at the end", .tokenMalformed) { $0 += "\n" },
        text("a line break in a segment", .tokenBase64Malformed) {
            $0.insert("\n", at: $0.index($0.startIndex, offsetBy: 76))
        },
        text("a space at the beginning", .tokenMalformed) { $0 = " " + $0 },
        text("a space in the signature", .tokenBase64Malformed) {
            $0.insert(" ", at: $0.index($0.endIndex, offsetBy: -4))
        },
        text("a byte order mark", .tokenMalformed) { $0 = "\u{FEFF}" + $0 },
        text("a zero byte at the end", .tokenBase64Malformed) { $0 += "\0" },
        text("quotation marks around the token", .tokenMalformed) { $0 = "\"\($0)\"" },
        text("a full-width letter at the beginning", .tokenBase64Malformed) { $0 = "ｅ" + $0.dropFirst() },
        text("unused bits set in the last character of the signature", .tokenBase64Malformed) { text in
            // The last character of 64 bytes encodes only two bits.
            guard let last = text.last, let index = Self.alphabet.firstIndex(of: last) else { return }
            text.removeLast()
            text.append(Self.alphabet[index ^ 1])
        },
        text("base64 instead of base64url in the signature", .tokenBase64Malformed) {
            $0.removeLast(5)
            $0 += "+/+/A"
        },
        SignedDataAttack(
            "more bytes than the limit", .tokenTooLarge, on: .envelope, twin: { $0.limits.maxTokenBytes = 100_000 }
        ) {
            $0.limits.maxTokenBytes = 1000
        },
        SignedDataAttack("more header bytes than the limit", .tokenTooLarge, on: .envelope) {
            $0.token = { $0.header["pad"] = .string(String(repeating: "a", count: 40_000)) }
        },
    ]

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")

    private static func text(
        _ name: String, _ code: ReceiptError.Code, _ change: @escaping @Sendable (inout String) -> Void
    ) -> SignedDataAttack {
        SignedDataAttack(name, code, on: .envelope) { $0.text = { change(&$0) } }
    }

    static let headers: [SignedDataAttack] =
        algorithms + certificateLists + [
            header("crit with a member that the header contains", .tokenHeaderCritical, twin: { $0.header["exp"] = 1 })
            {
                $0.header["crit"] = ["exp"]
                $0.header["exp"] = 1
            },
            header("crit that is empty", .tokenHeaderCritical) { $0.header["crit"] = [] },
            header("crit that is null", .tokenHeaderCritical) { $0.header["crit"] = .null },
            header("an unencoded payload (RFC 7797)", .tokenHeaderCritical) {
                $0.header["crit"] = ["b64"]
                $0.header["b64"] = false
            },
            headerText("alg twice, the second time none", .tokenHeaderMalformed) {
                "{\"alg\":\"ES256\",\"alg\":\"none\"," + $0
            },
            headerText("alg twice, the second time in escapes", .tokenHeaderMalformed) {
                "{\"alg\":\"ES256\",\"\\u0061lg\":\"none\"," + $0
            },
            headerText("x5c twice", .tokenHeaderMalformed) { "{\"alg\":\"ES256\",\"x5c\":[]," + $0 },
            headerText("a member without a value", .tokenHeaderMalformed) { "{\"alg\":\"ES256\",\"kid\":," + $0 },
            headerText("single quotation marks", .tokenHeaderMalformed) { "{'alg':'ES256'," + $0 },
            headerText("a comment", .tokenHeaderMalformed) { "/**/{\"alg\":\"ES256\"," + $0 },
            headerText("a byte order mark in the header", .tokenHeaderMalformed) { "\u{FEFF}{\"alg\":\"ES256\"," + $0 },
            header("an array instead of an object", .tokenHeaderMalformed) {
                $0.headerText = Array("[\"ES256\"]".utf8)
            },
            header("a header that isn't UTF-8", .tokenHeaderMalformed) {
                $0.headerText = Array("{\"alg\":\"ES256\",\"kid\":\"".utf8) + [0xC0, 0xAF] + Array("\"}".utf8)
            },
            header("deeply nested objects", .tokenHeaderMalformed, twin: { $0.header["kid"] = nested(10) }) {
                $0.header["kid"] = nested(400)
            },
            header(
                "a signature by another key, to which kid, jku and jwk refer", .signatureInvalid,
                twin: { addForeignKeyMembers(&$0) }
            ) {
                addForeignKeyMembers(&$0)
                $0.key = .foreignSigner
            },
        ]

    private static let algorithms: [SignedDataAttack] = [
        header("alg none, without a signature", .tokenSignatureMalformed) {
            $0.header["alg"] = "none"
            $0.signature = .bytes([])
        },
        header("alg none, with 64 zeros", .tokenAlgorithmUnsupported) {
            $0.header["alg"] = "none"
            $0.signature = .bytes([UInt8](repeating: 0, count: 64))
        },
        header("alg none, with a valid signature", .tokenAlgorithmUnsupported) { $0.header["alg"] = "none" },
        header("alg None", .tokenAlgorithmUnsupported) { $0.header["alg"] = "None" },
        header("alg that is empty", .tokenAlgorithmUnsupported) { $0.header["alg"] = "" },
        header("alg that is null", .tokenAlgorithmUnsupported) { $0.header["alg"] = .null },
        header("alg that is an array", .tokenAlgorithmUnsupported) { $0.header["alg"] = ["ES256"] },
        header("no alg", .tokenAlgorithmUnsupported) { $0.header["alg"] = nil },
        header("alg in lowercase", .tokenAlgorithmUnsupported) { $0.header["alg"] = "es256" },
        header("alg with a space", .tokenAlgorithmUnsupported) { $0.header["alg"] = "ES256 " },
        header("HS256 with the public key as the secret", .tokenSignatureMalformed) {
            $0.header["alg"] = "HS256"
            $0.signature = .hmac(try TestKey.ellipticSigner.publicKeyInfo)
        },
        header("HS512 with 64 bytes and the public key as the secret", .tokenAlgorithmUnsupported) {
            $0.header["alg"] = "HS512"
            $0.signature = .bytes(TestDigest.sha512.digest(of: try TestKey.ellipticSigner.publicKeyInfo))
        },
        header("ES384", .tokenAlgorithmUnsupported) { $0.header["alg"] = "ES384" },
        header("ES256K", .tokenAlgorithmUnsupported) { $0.header["alg"] = "ES256K" },
        header("EdDSA", .tokenAlgorithmUnsupported) { $0.header["alg"] = "EdDSA" },
        SignedDataAttack("RS256 with an RSA signer", .tokenSignatureMalformed, on: .header) {
            $0.pki.signer.key = .signer
            $0.token = {
                $0.header["alg"] = "RS256"
                $0.signature = .native
            }
        },
    ]

    private static let certificateLists: [SignedDataAttack] = [
        header("no certificates", .tokenCertificatesMissing) { $0.header["x5c"] = nil },
        header("the public key instead of certificates", .tokenCertificatesMissing) {
            $0.header["x5c"] = nil
            addForeignKeyMembers(&$0)
        },
        header("certificates that are null", .tokenCertificatesMissing) { $0.header["x5c"] = .null },
        header("certificates that are a string", .tokenCertificatesMissing) {
            $0.header["x5c"] = $0.header["x5c"]?.array?.first
        },
        certificates("an empty list", .tokenCertificateCount) { $0 = [] },
        certificates("two certificates", .tokenCertificateCount) { $0.removeLast() },
        certificates(
            "only the signer's certificate, for sandbox data", .tokenCertificateCount, check: .certificateChain
        ) { $0.removeLast(2) },
        certificates("four certificates", .tokenCertificateCount) { $0.append($0[2]) },
        certificates("a thousand certificates", .tokenTooLarge) { $0 = [JSONValue](repeating: $0[0], count: 1000) },
        certificates("a number instead of the intermediate", .tokenCertificatesMalformed) { $0[1] = 7 },
        certificates("a number instead of the root", .tokenCertificatesMalformed) { $0[2] = 7 },
        certificates("signer and intermediate exchanged", .signerIsAuthority) { $0.swapAt(0, 1) },
        certificates("intermediate and root exchanged", .intermediateMissing) { $0.swapAt(1, 2) },
        certificates("the root first", .signerSelfSigned) { $0.reverse() },
        certificates("the signer twice", .intermediateMissing) { $0[1] = $0[0] },
        certificates("base64url instead of base64", .tokenCertificatesMalformed) { list in
            // Every certificate has some of these characters.
            list[1] = .string(
                String((list[1].string ?? "").map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }))
        },
        certificates("a line break in a certificate", .tokenCertificatesMalformed) {
            $0[0] = .string("\n" + ($0[0].string ?? ""))
        },
        certificates("PEM instead of base64", .tokenCertificatesMalformed) {
            $0[0] = .string("-----BEGIN CERTIFICATE-----\n\($0[0].string ?? "")\n-----END CERTIFICATE-----")
        },
        certificates("a byte after the signer's certificate", .certificateMalformed) {
            $0[0] = .string(TestJWS.base64(bytes(of: $0[0]) + [0]))
        },
        certificates("a byte missing in the intermediate's certificate", .certificateMalformed) {
            $0[1] = .string(TestJWS.base64(bytes(of: $0[1]).dropLast()))
        },
        certificates("a certificate larger than 4 KiB", .tokenCertificatesMalformed) {
            $0[1] = .string(TestJWS.base64(bytes(of: $0[1]) + [UInt8](repeating: 0, count: 4096)))
        },
    ]

    private static func bytes(of value: JSONValue) -> [UInt8] {
        (try? Base64.decode(ArraySlice((value.string ?? "").utf8))) ?? []
    }

    static func header(
        _ name: String, _ code: ReceiptError.Code, check: ValidationCheck? = nil,
        twin: @escaping @Sendable (inout TestJWS) throws -> Void = { _ in },
        _ change: @escaping @Sendable (inout TestJWS) throws -> Void
    ) -> SignedDataAttack {
        SignedDataAttack(
            name, code, check: check, on: .header, twin: { $0.token = { try twin(&$0) } },
            { $0.token = { try change(&$0) } })
    }

    /// Creates an attack on the beginning of the header's JSON. `change` receives the text after the algorithm.
    private static func headerText(
        _ name: String, _ code: ReceiptError.Code, _ change: @escaping @Sendable (String) -> String
    ) -> SignedDataAttack {
        header(
            name, code, twin: { $0.headerText = Array(("{\"alg\":\"ES256\"," + rest(of: $0.header)).utf8) },
            { $0.headerText = Array(change(rest(of: $0.header)).utf8) })
    }

    private static func rest(of header: JSONObject) -> String {
        var rest = header
        rest["alg"] = nil
        return String(String(decoding: JSONValue.object(rest).text(), as: UTF8.self).dropFirst())
    }

    private static func certificates(
        _ name: String, _ code: ReceiptError.Code, check: ValidationCheck? = nil,
        _ change: @escaping @Sendable (inout [JSONValue]) -> Void
    ) -> SignedDataAttack {
        header(name, code, check: check) {
            var list = $0.header["x5c"]?.array ?? []
            change(&list)
            $0.header["x5c"] = .array(list)
        }
    }

    /// Adds the members in which naive verifiers look for a key.
    private static func addForeignKeyMembers(_ token: inout TestJWS) {
        token.header["kid"] = "key"
        token.header["jku"] = "https://example.com/keys.json"
        token.header["x5u"] = "https://example.com/certificate.pem"
        token.header["jwk"] = ["kty": "EC", "crv": "P-256", "x": "AAAA", "y": "AAAA"]
    }

    static func nested(_ depth: Int) -> JSONValue {
        var value: JSONValue = 1
        for _ in 0..<depth { value = ["a": value] }
        return value
    }

    static let signatures: [SignedDataAttack] = [
        signature("DER instead of r and s", .tokenSignatureMalformed) { $0.signature = .der },
        bytes("63 bytes", .tokenTruncated, [UInt8](repeating: 1, count: 63)),
        bytes("65 bytes", .tokenSignatureMalformed, [UInt8](repeating: 1, count: 65)),
        bytes("96 bytes, as in ES384", .tokenSignatureMalformed, [UInt8](repeating: 1, count: 96)),
        bytes("r and s zero", .signatureInvalid, [UInt8](repeating: 0, count: 64)),
        bytes("r zero", .signatureInvalid, [UInt8](repeating: 0, count: 32) + [UInt8](repeating: 1, count: 32)),
        bytes("s zero", .signatureInvalid, [UInt8](repeating: 1, count: 32) + [UInt8](repeating: 0, count: 32)),
        bytes(
            "r and s one", .signatureInvalid,
            ([UInt8](repeating: 0, count: 31) + [1]) + [UInt8](repeating: 0, count: 31) + [1]),
        bytes("r and s equal to the order of the curve", .signatureInvalid, order + order),
        bytes("s equal to the order of the curve", .signatureInvalid, [UInt8](repeating: 1, count: 32) + order),
        bytes("all bits set", .signatureInvalid, [UInt8](repeating: 0xFF, count: 64)),
        signature("a signature by another key", .signatureInvalid) { $0.key = .foreignSigner },
        SignedDataAttack("the signature of another token", .signatureInvalid, on: .signature) {
            let other = try TestTransaction("com.example.other", transaction: "9").signed()
            $0.text = {
                $0 =
                    $0.split(separator: ".").prefix(2).joined(separator: ".") + "."
                    + (other.split(separator: ".").last ?? "")
            }
        },
        SignedDataAttack("the payload altered after signing", .signatureInvalid, on: .signature) {
            let members = TestTransaction("com.example.everything", transaction: "1").members
            $0.text = {
                let parts = $0.split(separator: ".")
                $0 = "\(parts[0]).\(Base64URL.encode(JSONValue.object(members).text())).\(parts[2])"
            }
        },
        SignedDataAttack("the header altered after signing", .signatureInvalid, on: .signature) {
            $0.text = {
                let parts = $0.split(separator: ".")
                guard let header = try? Base64URL.decode(ArraySlice(parts[0].utf8)) else { return }
                $0 = "\(Base64URL.encode(Array("{\"kid\":\"1\",".utf8) + header.dropFirst())).\(parts[1]).\(parts[2])"
            }
        },
        SignedDataAttack("a space added to the header's JSON after signing", .signatureInvalid, on: .signature) {
            $0.text = {
                let parts = $0.split(separator: ".")
                guard let header = try? Base64URL.decode(ArraySlice(parts[0].utf8)) else { return }
                $0 = "\(Base64URL.encode(header + [0x20])).\(parts[1]).\(parts[2])"
            }
        },
        SignedDataAttack("an RSA signer", .tokenSignatureMalformed, on: .signature) { $0.pki.signer.key = .signer },
        SignedDataAttack("an RSA signer with a signature of 64 bytes", .signatureKeyMismatch, on: .signature) {
            $0.pki.signer.key = .signer
            $0.token = { $0.signature = .bytes([UInt8](repeating: 1, count: 64)) }
        },
        SignedDataAttack("a P-384 signer", .signatureKeyMismatch, on: .signature) {
            $0.pki.signer.key = .ellipticIntermediate
            $0.token = { $0.signature = .bytes([UInt8](repeating: 1, count: 64)) }
        },
    ]

    /// The order of P-256 (SEC 2, section 2.4.2).
    private static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC, 0xE6, 0xFA, 0xAD,
        0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]

    private static func signature(
        _ name: String, _ code: ReceiptError.Code, _ change: @escaping @Sendable (inout TestJWS) throws -> Void
    ) -> SignedDataAttack {
        SignedDataAttack(name, code, on: .signature) { $0.token = { try change(&$0) } }
    }

    private static func bytes(_ name: String, _ code: ReceiptError.Code, _ bytes: [UInt8]) -> SignedDataAttack {
        signature(name, code) { $0.signature = .bytes(bytes) }
    }
}
