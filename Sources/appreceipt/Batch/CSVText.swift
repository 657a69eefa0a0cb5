import AppReceiptSupport

/// Writes CSV (RFC 4180).
///
/// Values are written as they are, even if a spreadsheet would treat them as formulas: identifiers must stay
/// comparable.
enum CSVText {
    /// A record with its line break.
    static func record(_ values: [AppStoreJSON]) -> [UInt8] {
        var text: [UInt8] = []
        for (index, value) in values.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            append(self.text(of: value), to: &text)
        }
        // A reader would skip an empty line.
        if text.isEmpty { text.append(contentsOf: "\"\"".utf8) }
        text.append(contentsOf: "\r\n".utf8)
        return text
    }

    /// The characters of a value, without quotation marks. Null is empty.
    static func text(of value: AppStoreJSON) -> [UInt8] {
        switch value {
        case .null: []
        case .string(let string): Array(string.utf8)
        default: value.text()
        }
    }

    private static func append(_ value: [UInt8], to text: inout [UInt8]) {
        let quote = UInt8(ascii: "\"")
        guard value.contains(where: { $0 == quote || $0 == UInt8(ascii: ",") || $0 == 0x0A || $0 == 0x0D }) else {
            text.append(contentsOf: value)
            return
        }
        text.append(quote)
        for byte in value {
            if byte == quote { text.append(quote) }
            text.append(byte)
        }
        text.append(quote)
    }
}
