import AppReceiptFoundation
import AppReceiptSupport
import Crypto

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerKey {
    /// Checks the identifiers before the key itself is read.
    ///
    /// - Throws: An error with the code `key-invalid`, whose message names what to correct.
    package static func validate(keyIdentifier: String, issuerIdentifier: String) throws(AppStoreServerError) {
        if UUID(uuidString: keyIdentifier) != nil, UUID(uuidString: issuerIdentifier) == nil {
            throw invalid(
                "The key identifier is a UUID and the issuer identifier isn't. They seem to be swapped.",
                remedy: "Swap the two values.")
        }
        guard isKeyIdentifier(keyIdentifier) else {
            throw invalid(
                "The key identifier must be letters and digits, for example 2X9R4HXF34.",
                remedy: "App Store Connect shows it beside the key (Users and Access, Integrations, In-App Purchase).")
        }
        guard UUID(uuidString: issuerIdentifier) != nil else {
            throw invalid(
                "The issuer identifier must be a UUID, for example 57246542-96fe-1a63-e053-0824d011072a. Every key of a team has the same one.",
                remedy:
                    "App Store Connect shows it above the list of keys (Users and Access, Integrations, In-App Purchase)."
            )
        }
    }

    /// Whether text may be the identifier of a key.
    package static func isKeyIdentifier(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && UUID(uuidString: text) == nil
            && text.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit }
    }

    /// Reads the private key of a PEM block.
    static func privateKey(_ pem: String) throws(AppStoreServerError) -> P256.Signing.PrivateKey {
        let text = Array(Array(pem.utf8)[...].withoutByteOrderMark).replacingEscapedLineBreaks().drop {
            Base64.isWhitespace($0)
        }
        let (block, rest): (PEMBlock, ArraySlice<UInt8>)
        do throws(PEMBlock.Fault) {
            (block, rest) = try PEMBlock.read(text)
        } catch {
            switch error {
            case .armor where pem.hasSuffix(".p8"):
                throw invalid(
                    "Expected the contents of a .p8 file, from -----BEGIN PRIVATE KEY----- to -----END PRIVATE KEY-----. A path isn't accepted."
                )
            case .armor where text.contains(0) && text.first == 0x30:
                throw invalid("The file contains bytes (DER) instead of text. Pass the .p8 file as downloaded.")
            case .armor where text.contains(0):
                throw invalid("The file contains text in UTF-16. Pass the .p8 file as downloaded.")
            case .armor where PEMBlock.isPlausible(text):
                throw invalid("The file is incomplete: the END line is missing.")
            case .armor: throw invalid("The file doesn't contain a private key (-----BEGIN PRIVATE KEY-----).")
            case .body: throw invalid("The text between the BEGIN and END lines isn't base64.")
            }
        }
        switch block.label {
        case "PRIVATE KEY", "EC PRIVATE KEY": break
        case "ENCRYPTED PRIVATE KEY":
            throw invalid("The private key is encrypted. Pass the file as downloaded, or decrypt it.")
        case "PUBLIC KEY": throw invalid("The file contains a public key. Pass the private key.")
        case "CERTIFICATE": throw invalid("The file contains a certificate. Pass the private key.")
        case "RSA PRIVATE KEY":
            throw invalid("The file contains an RSA key. Apple's keys are for the elliptic curve P-256.")
        default: throw invalid("The file doesn't contain a private key.")
        }
        // Which of several keys is meant isn't known.
        guard !rest.contains(Array("-----BEGIN ".utf8)) else {
            throw invalid(
                "The file contains more than one key or certificate.",
                remedy: "Pass a file that contains only the private key, as downloaded from App Store Connect.")
        }
        // The decoder accepts a key of another curve with scalars of the same size, such as secp256k1.
        guard block.bytes.contains(p256), let key = try? P256.Signing.PrivateKey(derRepresentation: block.bytes) else {
            throw invalid(reason(for: block.bytes))
        }
        return key
    }

    /// Returns the reason that bytes aren't a private key for P-256.
    private static func reason(for bytes: [UInt8]) -> String {
        if bytes.contains(rsaEncryption) {
            return "The file contains an RSA key. Apple's keys are for the elliptic curve P-256."
        }
        if bytes.contains(ellipticCurve) || bytes.contains(otherCurves), !bytes.contains(p256) {
            return "The file contains a key for another elliptic curve. Apple's keys are for P-256."
        }
        return "The file doesn't contain a readable private key for the elliptic curve P-256. It may be truncated."
    }

    /// - Parameter remedy: What to do. Default: the code's remedy, which is about the file.
    private static func invalid(_ message: String, remedy: String? = nil) -> AppStoreServerError {
        AppStoreServerError(.keyInvalid, message: message) { if let remedy { $0.remedy = remedy } }
    }

    // The ends of object identifiers in DER: 1.2.840.113549.1.1.1, 1.2.840.10045.2.1, 1.3.132.0, 1.2.840.10045.3.1.7.
    private static let rsaEncryption: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
    private static let ellipticCurve: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
    private static let otherCurves: [UInt8] = [0x2B, 0x81, 0x04, 0x00]
    private static let p256: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
}

extension RandomAccessCollection<UInt8> {
    /// Whether the bytes contain `part`. Keys are small, so the search is simple.
    fileprivate func contains(_ part: [UInt8]) -> Bool {
        indices.contains { self[$0...].starts(with: part) }
    }
}

extension [UInt8] {
    /// Returns the bytes, with `\n` and `\r` replaced by line breaks.
    fileprivate func replacingEscapedLineBreaks() -> ArraySlice<UInt8> {
        var replaced: [UInt8] = []
        var index = startIndex
        while index < endIndex {
            let next = index + 1 < endIndex ? self[index + 1] : 0
            if self[index] == UInt8(ascii: "\\"), next == UInt8(ascii: "n") || next == UInt8(ascii: "r") {
                replaced.append(UInt8(ascii: "\n"))
                index += 2
            } else {
                replaced.append(self[index])
                index += 1
            }
        }
        return replaced[...]
    }
}
