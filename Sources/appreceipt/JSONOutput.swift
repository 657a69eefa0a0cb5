import AppReceiptParsing

/// One JSON document on standard output.
enum JSONOutput {
    /// - Parameter raw: whether a receipt's raw attributes are written too.
    static func write(_ value: some Encodable, raw: Bool) throws {
        try Terminal.write(try ReceiptJSON.text(value, attributes: raw, isPretty: true) + "\n")
    }

    /// A receipt without its raw attributes, on one line.
    static func line(_ receipt: AppReceipt) throws -> [UInt8] {
        Array(try ReceiptJSON.text(receipt, attributes: false, isPretty: false).utf8)
    }
}
