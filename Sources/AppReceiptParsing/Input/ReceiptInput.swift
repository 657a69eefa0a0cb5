import AppReceiptSupport

/// Tells what kind of bytes these are, and brings those that are a receipt into binary form.
///
/// Recognized and read: DER, BER, base64 of these on one line or many, PEM armor around it. Recognized and named in
/// the error: base64 of base64, property-list transaction receipts from before iOS 7, StoreKit 2 signed data, JSON.
public struct ReceiptInput: Sendable, Hashable {
    /// The form in which the receipt was given.
    public enum Format: String, Sendable, Hashable, CaseIterable {
        /// Binary, with definite lengths, as the App Store writes receipts.
        case der
        /// Binary, with an indefinite length, as Xcode writes receipts.
        case ber
        /// Base64 text.
        case base64
        /// PEM text.
        case pem
    }

    /// The form in which the receipt was given.
    public let format: Format

    /// The container, binary. Not yet parsed: it only starts like one.
    public let der: ArraySlice<UInt8>

    /// - Parameters:
    ///   - bytes: a receipt in any form.
    ///   - limits: how large it may be.
    /// - Throws: an error of the stage `input`.
    public init(_ bytes: some Collection<UInt8>, limits: ReceiptLimits = .default) throws(ReceiptError) {
        guard bytes.count <= limits.inputBytes else {
            throw ReceiptError(.inputTooLarge, "The input is larger than the limit of \(limits.inputBytes) bytes.")
        }
        let slice = (bytes as? ArraySlice<UInt8>) ?? Array(bytes)[...]
        guard !slice.isEmpty else { throw ReceiptError(.inputEmpty) }
        if Self.isBinaryContainer(slice) {
            format = Self.binaryFormat(slice)
            der = slice
            return
        }
        // Windows tools put a byte-order mark before text in UTF-8.
        let unmarked = slice.starts(with: [0xEF, 0xBB, 0xBF]) ? slice.dropFirst(3) : slice
        let text = unmarked.drop(while: Base64.isWhitespace)
        guard let start = text.first else {
            throw ReceiptError(.inputEmpty, "The input holds nothing but white space.")
        }
        let blanks = text.startIndex - slice.startIndex
        if PEMBlock.isPlausible(text) {
            format = .pem
            der = try Self.container(inPEM: text, after: blanks)
        } else if let name = Self.otherKind(text, start) {
            throw ReceiptError(name)
        } else {
            format = .base64
            der = try Self.container(inBase64: text, start, after: blanks)
        }
    }

    /// Whether the bytes begin like a container, and not like text. "0" is the tag of a sequence too; but a sequence
    /// whose length is printable has at most 126 bytes, which no receipt has.
    private static func isBinaryContainer(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard bytes.first == BERTag.sequence else { return false }
        return bytes.count == 1
            || !bytes.prefix(64).allSatisfy { (0x20...0x7E).contains($0) || Base64.isWhitespace($0) }
    }

    private static func binaryFormat(_ bytes: ArraySlice<UInt8>) -> Format {
        bytes.dropFirst().first == 0x80 ? .ber : .der
    }

    private static func container(
        inPEM text: ArraySlice<UInt8>, after blanks: Int
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
                    .inputPEMMalformed, offset: blanks + offset, "What stands in the PEM block is not base64.")
            }
        }
        guard ["PKCS7", "PKCS #7 SIGNED DATA", "CMS"].contains(block.label) else {
            throw ReceiptError(
                .inputPEMMalformed,
                block.label == "CERTIFICATE"
                    ? "The input is a certificate, not a receipt." : "The PEM block is not a PKCS7 or CMS block.")
        }
        guard rest.isEmpty else {
            throw ReceiptError(
                .inputPEMMalformed, offset: blanks + rest.startIndex - text.startIndex, "Text follows the PEM block.")
        }
        guard isBinaryContainer(block.bytes[...]) else { throw ReceiptError(.inputPEMMalformed) }
        return block.bytes[...]
    }

    private static func container(
        inBase64 text: ArraySlice<UInt8>, _ start: UInt8, after blanks: Int
    ) throws(ReceiptError) -> ArraySlice<UInt8> {
        // Only what starts like a receipt in base64 ("M") is called malformed base64; other text is simply no receipt.
        guard start == UInt8(ascii: "M") || Base64.isPlausible(text) else { throw ReceiptError(.inputUnrecognized) }
        let octets: [UInt8]
        do throws(Base64.Fault) {
            octets = try Base64.decode(text)
        } catch {
            guard start == UInt8(ascii: "M") else { throw ReceiptError(.inputUnrecognized) }
            throw ReceiptError(error, in: text, blanks: blanks)
        }
        guard let first = octets.first else { throw ReceiptError(.inputUnrecognized) }
        if isBinaryContainer(octets[...]) { return octets[...] }
        if let name = otherKind(octets[...], first) { throw ReceiptError(name) }
        if Base64.isPlausible(octets[...]), let inner = try? Base64.decode(octets[...]),
            isBinaryContainer(inner[...])
        {
            throw ReceiptError(.inputBase64Twice)
        }
        throw ReceiptError(.inputUnrecognized, "The input is base64, but not of a PKCS #7 container.")
    }

    /// Kinds of text that customers and programs take for receipts.
    private static func otherKind(_ text: ArraySlice<UInt8>, _ start: UInt8) -> ReceiptError.Code? {
        switch start {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            // The first quoted key is followed by '=' in an old-style property list and by ':' in JSON.
            let key = text.dropFirst().drop(while: Base64.isWhitespace)
            guard key.first == UInt8(ascii: "\"") else { return .inputJSON }
            let afterKey = key.dropFirst().drop { $0 != UInt8(ascii: "\"") }.dropFirst()
            let separator = afterKey.drop(while: Base64.isWhitespace).first
            return separator == UInt8(ascii: "=") ? .inputTransactionReceipt : .inputJSON
        case UInt8(ascii: "\""):
            return .inputJSON
        case UInt8(ascii: "e") where text.starts(with: Array("eyJ".utf8)):
            // A header of `{"…` in base64url, and two points that part the segments.
            let points = text.reduce(0) { $0 + ($1 == UInt8(ascii: ".") ? 1 : 0) }
            return points == 2 ? .inputSignedData : nil
        default:
            return nil
        }
    }
}

extension ReceiptError {
    fileprivate init(_ fault: Base64.Fault, in text: ArraySlice<UInt8>, blanks: Int) {
        switch fault {
        case .character(let position):
            let character = text[text.startIndex + position]
            let urlAlphabet = character == UInt8(ascii: "-") || character == UInt8(ascii: "_")
            self.init(
                .inputBase64Malformed, offset: blanks + position,
                urlAlphabet
                    ? "The input is base64 in the alphabet for URLs; replace '-' by '+' and '_' by '/', and pad with '='."
                    : "The input looks like base64 but has a character that is not part of it.")
        case .space(let position):
            self.init(
                .inputBase64Malformed, offset: blanks + position,
                "The input looks like base64 but has a blank in the middle of a line, where '+' may have been.")
        case .padding(let position):
            self.init(
                .inputBase64Malformed, offset: blanks + position,
                "The input looks like base64 but its length or padding is wrong: it was cut, or a character is missing."
            )
        }
    }
}
