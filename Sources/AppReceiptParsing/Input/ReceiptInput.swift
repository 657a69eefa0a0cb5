import AppReceiptSupport

/// Recognizes the form of a receipt and converts it to binary.
///
/// Accepts DER, BER, base64 of these on one or more lines, and PEM. Other recognized forms have an error code of their
/// own: base64 of base64, transaction receipts (property lists), StoreKit 2 signed data, and JSON.
public struct ReceiptInput: Sendable, Hashable {
    /// The form of a receipt.
    public enum Format: String, Sendable, Hashable, CaseIterable {
        /// Binary with definite lengths. The App Store uses this form.
        case der
        /// Binary with an indefinite length. Xcode uses this form.
        case ber
        /// Base64 text.
        case base64
        /// PEM text.
        case pem
    }

    /// The form of the input.
    public let format: Format

    /// The container in binary, DER or BER. Only its first bytes have been checked.
    public let containerBytes: ArraySlice<UInt8>

    /// Recognizes the form of a receipt.
    ///
    /// - Parameters:
    ///   - bytes: A receipt in any form.
    ///   - limits: The limits for parsing, of which ``ReceiptLimits/maxInputBytes`` applies.
    /// - Throws: An error of the check `input`.
    public init(_ bytes: some Collection<UInt8>, limits: ReceiptLimits = .default) throws(ReceiptError) {
        guard bytes.count <= limits.maxInputBytes else {
            throw ReceiptError(.inputTooLarge, "The input is larger than the limit of \(limits.maxInputBytes) bytes.")
        }
        let slice = (bytes as? ArraySlice<UInt8>) ?? Array(bytes)[...]
        guard !slice.isEmpty else { throw ReceiptError(.inputEmpty) }
        if Self.isBinaryContainer(slice) {
            format = Self.binaryFormat(slice)
            containerBytes = slice
            return
        }
        let text = slice.withoutByteOrderMark.drop(while: Base64.isWhitespace)
        guard let start = text.first else {
            throw ReceiptError(.inputEmpty, "The input contains only whitespace.")
        }
        let prefixCount = text.startIndex - slice.startIndex
        if PEMBlock.isPlausible(text) {
            format = .pem
            containerBytes = try Self.container(inPEM: text, after: prefixCount)
        } else if let name = Self.otherKind(of: text, first: start) {
            throw ReceiptError(name)
        } else {
            format = .base64
            containerBytes = try Self.container(inBase64: text, after: prefixCount)
        }
    }

    /// Whether the bytes start like a container and not like text.
    ///
    /// The tag of a sequence is the character "0". But a sequence whose length is a printable character has at most 126
    /// bytes, too few for a receipt.
    private static func isBinaryContainer(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard bytes.first == BERTag.sequence else { return false }
        return bytes.count == 1
            || !bytes.prefix(64).allSatisfy { (0x20...0x7E).contains($0) || Base64.isWhitespace($0) }
    }

    private static func binaryFormat(_ bytes: ArraySlice<UInt8>) -> Format {
        bytes.dropFirst().first == 0x80 ? .ber : .der
    }

    private static func container(
        inPEM text: ArraySlice<UInt8>, after prefixCount: Int
    ) throws(ReceiptError) -> ArraySlice<UInt8> {
        let block: PEMBlock
        let rest: ArraySlice<UInt8>
        do throws(PEMBlock.Fault) {
            (block, rest) = try PEMBlock.read(text)
        } catch {
            switch error {
            case .armor: throw ReceiptError(.inputPEMMalformed)
            case .body(let offset):
                throw ReceiptError(
                    .inputPEMMalformed, offset: prefixCount + offset, "The content of the PEM block isn't base64.")
            }
        }
        guard ["PKCS7", "PKCS #7 SIGNED DATA", "CMS"].contains(block.label) else {
            throw ReceiptError(
                .inputPEMMalformed,
                block.label == "CERTIFICATE"
                    ? "The input is a certificate, not a receipt." : "The PEM block isn't a PKCS7 or CMS block.")
        }
        guard rest.isEmpty else {
            throw ReceiptError(
                .inputPEMMalformed, offset: prefixCount + rest.startIndex - text.startIndex,
                "Text follows the PEM block.")
        }
        guard isBinaryContainer(block.bytes[...]) else { throw ReceiptError(.inputPEMMalformed) }
        return block.bytes[...]
    }

    private static func container(
        inBase64 text: ArraySlice<UInt8>, after prefixCount: Int
    ) throws(ReceiptError) -> ArraySlice<UInt8> {
        // Only text that starts like base64 of a receipt is malformed base64. Other text is unrecognized.
        let beginsLikeSequence = beginsLikeSequence(base64: text)
        guard beginsLikeSequence || Base64.isPlausible(text) else { throw ReceiptError(.inputUnrecognized) }
        let octets: [UInt8]
        do throws(Base64.Fault) {
            octets = try Base64.decode(text)
        } catch {
            guard beginsLikeSequence else { throw ReceiptError(.inputUnrecognized) }
            throw ReceiptError(error, in: text, prefixCount: prefixCount)
        }
        guard let first = octets.first else { throw ReceiptError(.inputUnrecognized) }
        if isBinaryContainer(octets[...]) { return octets[...] }
        if let name = otherKind(of: octets[...], first: first) { throw ReceiptError(name) }
        if Base64.isPlausible(octets[...]), let inner = try? Base64.decode(octets[...]),
            isBinaryContainer(inner[...])
        {
            throw ReceiptError(.inputBase64Twice)
        }
        throw ReceiptError(.inputUnrecognized, "The input is base64, but its content isn't a PKCS #7 container.")
    }

    /// Whether text begins like base64 of a sequence, and isn't a short sentence such as "My account" or "MAC APP".
    private static func beginsLikeSequence(base64 text: ArraySlice<UInt8>) -> Bool {
        guard text.first == UInt8(ascii: "M") else { return false }
        // The second character has two bits of the tag, which are zero, and the first four of the length: at most 8.
        guard let second = text.dropFirst().first else { return true }
        guard (UInt8(ascii: "A")...UInt8(ascii: "I")).contains(second) else { return false }
        return text.count >= minReceiptCharacters || !text.contains(UInt8(ascii: " "))
    }

    /// Base64 of a receipt is much longer, also a part of one that is of use.
    private static let minReceiptCharacters = 100

    /// Whether text begins like the property list of a transaction receipt, which resembles JSON.
    package static func isTransactionReceipt(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.first == UInt8(ascii: "{") else { return false }
        // The first quoted key is followed by '=' in an old-style property list and by ':' in JSON.
        let key = text.dropFirst().drop(while: Base64.isWhitespace)
        guard key.first == UInt8(ascii: "\"") else { return false }
        let afterKey = key.dropFirst().drop { $0 != UInt8(ascii: "\"") }.dropFirst()
        return afterKey.drop(while: Base64.isWhitespace).first == UInt8(ascii: "=")
    }

    /// Returns the error for other data that is often sent instead of a receipt, or nil.
    private static func otherKind(of text: ArraySlice<UInt8>, first start: UInt8) -> ReceiptError.Code? {
        switch start {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            return isTransactionReceipt(text) ? .inputTransactionReceipt : .inputJSON
        case UInt8(ascii: "\""):
            return .inputJSON
        default:
            return text.isPlausibleJWS ? .inputSignedData : nil
        }
    }
}

extension ReceiptInput: CustomStringConvertible {
    /// The form and the size of the container, without its bytes.
    public var description: String { "ReceiptInput(\(format.rawValue), \(containerBytes.count) bytes)" }
}

extension ReceiptError {
    fileprivate init(_ fault: Base64.Fault, in text: ArraySlice<UInt8>, prefixCount: Int) {
        switch fault {
        case .character(let position):
            let character = text[text.startIndex + position]
            let urlAlphabet = character == UInt8(ascii: "-") || character == UInt8(ascii: "_")
            self.init(
                .inputBase64Malformed, offset: prefixCount + position,
                urlAlphabet
                    ? "The input is base64 in the alphabet for URLs. Replace '-' with '+' and '_' with '/', and pad with '='."
                    : "The input looks like base64 but contains a character outside of the alphabet.")
        case .space(let position):
            self.init(
                .inputBase64Malformed, offset: prefixCount + position,
                "The input looks like base64 but contains a space in the middle of a line, possibly instead of '+'.")
        case .padding(let position):
            self.init(
                .inputBase64Malformed, offset: prefixCount + position,
                "The input looks like base64 but its length or padding is wrong: it was truncated, or a character is missing."
            )
        }
    }
}
