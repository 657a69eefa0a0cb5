import AppReceiptKit
import AppReceiptSupport

/// The receipts and tokens in input from a person or program: a file, a request, a response, or copied text.
///
/// Nothing is verified. ``normalizations`` lists what was removed or decoded.
package struct EvidenceInput: Sendable {
    /// A receipt or token.
    package enum Item: Sendable, Hashable {
        /// A receipt in a form that ``ReceiptInput`` reads, or unrecognized text.
        case receipt(ArraySlice<UInt8>)
        /// A token (JWS).
        case token(String)
    }

    /// The receipts and tokens in the order of the input; at least one.
    package private(set) var items: [Item] = []

    /// What was removed or decoded, in the order of the steps: "UTF-16", "quotation marks", "JSON member 'latest_receipt'".
    package private(set) var normalizations: [String] = []

    /// Finds the receipts and tokens in bytes.
    ///
    /// - Parameter bytes: DER, BER, base64 (standard or URL-safe, quoted, escaped or wrapped), PEM, a JWS, or JSON with receipts or tokens in it: the
    ///   request and response of verifyReceipt, a notification, responses of the App Store Server API. Text in UTF-8 or UTF-16.
    package init(_ bytes: some Collection<UInt8>) {
        let bytes = (bytes as? ArraySlice<UInt8>) ?? Array(bytes)[...]
        if Self.isBinary(bytes) {
            items = [.receipt(bytes)]
        } else {
            read(decoded(bytes), depth: 0)
        }
        if items.isEmpty { items = [.receipt(bytes)] }
    }

    /// Whether the bytes begin like a DER or BER sequence and aren't text.
    private static func isBinary(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.first == BERTag.sequence && bytes.prefix(4).contains { $0 > 0x7E || $0 < 0x09 }
    }

    /// Returns the text in UTF-8, without a byte order mark and surrounding whitespace.
    private mutating func decoded(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var text = bytes
        if let isBigEndian = Self.utf16Order(bytes) {
            note("UTF-16")
            let encoded = Array(bytes)
            let (high, low) = isBigEndian ? (0, 1) : (1, 0)
            var units: [UInt16] = []
            for index in stride(from: 0, to: encoded.count - 1, by: 2) {
                units.append(UInt16(encoded[index + high]) << 8 | UInt16(encoded[index + low]))
            }
            if units.first == 0xFEFF { units.removeFirst() }
            text = Array(String(decoding: units, as: UTF16.self).utf8)[...]
        }
        if text.starts(with: [0xEF, 0xBB, 0xBF]) {
            note("byte order mark")
            text = text.dropFirst(3)
        }
        return text.trimmingWhitespace
    }

    /// Whether the bytes are big-endian UTF-16; nil if they aren't UTF-16.
    private static func utf16Order(_ bytes: ArraySlice<UInt8>) -> Bool? {
        let start = Array(bytes.prefix(4))
        guard start.count == 4 else { return nil }
        if start.starts(with: [0xFE, 0xFF]) { return true }
        if start.starts(with: [0xFF, 0xFE]) { return false }
        // Without a byte order mark, every other byte of ASCII text is zero.
        if start[0] == 0, start[2] == 0, start[1] != 0, start[3] != 0 { return true }
        if start[1] == 0, start[3] == 0, start[0] != 0, start[2] != 0 { return false }
        return nil
    }

    /// The largest number of wrappers around a receipt, such as JSON in a quoted text.
    private static let maxDepth = 4

    private mutating func read(_ text: ArraySlice<UInt8>, depth: Int) {
        guard depth < Self.maxDepth, let first = text.first else { return add(text) }
        switch first {
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            guard text.count > 1, text.last == first else { return add(text) }
            note("quotation marks")
            let content =
                (try? JSONValue(parsing: text).string).map { Array($0.utf8)[...] } ?? text.dropFirst().dropLast()
            read(content.trimmingWhitespace, depth: depth + 1)
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard let value = try? JSONValue(parsing: text, depth: 16) else { return add(text) }
            let before = items.count
            search(value, depth: depth + 1, readsText: true)
            if items.count == before { add(text) }
        default:
            let bearer = Array("Bearer ".utf8)
            guard text.starts(with: bearer) else { return add(text) }
            note("\"Bearer\"")
            read(text.dropFirst(bearer.count).trimmingWhitespace, depth: depth + 1)
        }
    }

    /// The members whose string is a receipt or token, in the requests and responses of Apple and of this package.
    private static let members: Set = [
        "receipt-data", "latest_receipt", "receipt", "token", "signedPayload", "signedTransactionInfo",
        "signedRenewalInfo", "signedAppTransactionInfo",
    ]

    /// The members whose arrays of strings are tokens.
    private static let lists: Set = ["signedTransactions", "signedRenewals"]

    /// The maximum number of receipts and tokens in one input. Each is verified.
    private static let maxItems = 10_000

    /// - Parameter readsText: Whether the strings of an array are receipts or tokens.
    private mutating func search(_ value: JSONValue, depth: Int, readsText: Bool = false) {
        guard items.count < Self.maxItems else { return }
        switch value {
        case .object(let object):
            for member in object.members {
                switch member.value {
                case .string(let text) where Self.members.contains(member.name):
                    note("JSON member '\(member.name)'")
                    read(Array(text.utf8)[...].trimmingWhitespace, depth: depth)
                case .array where Self.lists.contains(member.name):
                    note("JSON member '\(member.name)'")
                    search(member.value, depth: depth, readsText: true)
                default:
                    search(member.value, depth: depth)
                }
            }
        case .array(let elements):
            for element in elements {
                if readsText, case .string(let text) = element {
                    read(Array(text.utf8)[...].trimmingWhitespace, depth: depth)
                } else {
                    search(element, depth: depth)
                }
            }
        default: break
        }
    }

    /// Reports a step once.
    private mutating func note(_ normalization: String) {
        if !normalizations.contains(normalization) { normalizations.append(normalization) }
    }

    /// Adds text without wrappers.
    private mutating func add(_ text: ArraySlice<UInt8>) {
        guard items.count < Self.maxItems else { return }
        let text = unescaped(text)
        if text.first == UInt8(ascii: "e") {
            let token = text.filter { !Base64.isWhitespace($0) }[...]
            if token.isPlausibleJWS {
                if token.count != text.count { normalizations.append("line breaks") }
                return items.append(.token(String(decoding: token, as: UTF8.self)))
            }
        }
        items.append(.receipt(standardBase64(text)))
    }

    /// Returns the text without the escapes of a JSON string that was copied without its quotation marks.
    private mutating func unescaped(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let backslash = UInt8(ascii: "\\")
        guard text.contains(backslash), text.first != UInt8(ascii: "{"),
            let value = try? JSONValue(parsing: ([0x22] + text + [0x22])[...]).string
        else { return text }
        note("escapes")
        return Array(value.utf8)[...]
    }

    /// Returns standard base64 with padding if the text is URL-safe base64.
    private mutating func standardBase64(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let (minus, underscore) = (UInt8(ascii: "-"), UInt8(ascii: "_"))
        guard text.contains(where: { $0 == minus || $0 == underscore }) || text.count % 4 != 0, text.first == 0x4D
        else { return text }
        var standard = text.filter { !Base64.isWhitespace($0) }.map { byte in
            byte == minus ? UInt8(ascii: "+") : byte == underscore ? UInt8(ascii: "/") : byte
        }
        while standard.count % 4 != 0 { standard.append(UInt8(ascii: "=")) }
        guard (try? Base64.decode(standard[...])) != nil, (try? Base64.decode(text)) == nil else { return text }
        note("URL-safe base64")
        return standard[...]
    }
}
