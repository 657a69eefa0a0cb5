#if Server
import AppReceiptSupport
import AppReceiptKit

/// A JSON object that is written member by member, so that a large encoded value isn't parsed again.
struct JSONDocument: Sendable {
    private var members: [UInt8] = []

    /// The object in UTF-8.
    var bytes: [UInt8] { [UInt8(ascii: "{")] + members + [UInt8(ascii: "}")] }

    /// Adds a member. Its name must differ from all others.
    mutating func add(_ name: String, _ value: JSONValue) { add(name, encoded: value.text()) }

    /// Adds a member with the value that the command line writes for a receipt or a part of one.
    ///
    /// - Parameters:
    ///   - name: The name, which must differ from all others.
    ///   - value: The value.
    ///   - attributes: Whether to include the raw attributes of a receipt.
    mutating func add(_ name: String, _ value: some Encodable, attributes: Bool) throws {
        let text = try ReceiptJSON.text(value, attributes: attributes, isPretty: false)
        add(name, encoded: Array(text.utf8))
    }

    private mutating func add(_ name: String, encoded value: [UInt8]) {
        if !members.isEmpty { members.append(UInt8(ascii: ",")) }
        members += JSONValue.string(name).text()
        members.append(UInt8(ascii: ":"))
        members += value
    }
}
#endif
