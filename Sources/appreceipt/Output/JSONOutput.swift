import AppReceiptParsing
import AppReceiptSupport

/// The JSON that this command writes.
enum JSONOutput {
    /// Writes one document to standard output.
    ///
    /// - Parameter raw: Whether a receipt's raw attributes are included.
    static func write(_ value: some Encodable, raw: Bool = false) throws {
        try Terminal.write(try ReceiptJSON.text(value, attributes: raw, isPretty: true) + "\n")
    }

    /// Writes one document to standard output, members in the order of the value.
    static func write(json: JSONValue) throws {
        try Terminal.write(String(decoding: json.text(isPretty: true), as: UTF8.self) + "\n")
    }

    /// An object as one line of text, with a line break at its end.
    static func line(_ object: JSONObject) -> [UInt8] { JSONValue.object(object).text() + [0x0A] }

    /// A receipt without its raw attributes.
    static func value(_ receipt: AppReceipt) throws -> JSONValue {
        try JSONValue(parsing: Array(try ReceiptJSON.text(receipt, attributes: false, isPretty: false).utf8)[...])
    }
}
