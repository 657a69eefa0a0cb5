#if Server
import AppReceiptParsing
import AppReceiptSupport

/// What the inspector answers: a status of HTTP and a JSON document.
public struct InspectorResponse: Sendable {
    /// 200 for everything that could be looked at, valid or not; 400, 404 or 413 for a request that is wrong.
    public let status: Int

    /// JSON in UTF-8: the document, or `{"error": {"code", "message", "remedy"}}`. It holds what the customer's receipt
    /// says and does not belong into a log.
    public let body: [UInt8]

    /// For logs and metrics: what is wrong with the request, or the check's code with which the receipt failed; nil if
    /// everything passed.
    public let code: String?

    init(_ document: JSONDocument, code: String?) {
        status = 200
        body = document.bytes
        self.code = code
    }

    init(refusing fault: InspectorRequest.Fault) {
        status = fault.status
        body = JSONValue.object([
            "error": [
                "code": .string(fault.code), "message": .string(fault.message), "remedy": .string(fault.remedy),
            ]
        ]).text()
        code = fault.code
    }
}

/// An object of JSON whose members are written one after another, so that what is JSON already is not read again.
struct JSONDocument {
    private(set) var bytes: [UInt8] = [UInt8(ascii: "{")]

    /// - Parameter members: names that differ, and JSON.
    init(_ members: [(name: String, json: [UInt8])]) {
        for (index, member) in members.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes += JSONValue.string(member.name).text()
            bytes.append(UInt8(ascii: ":"))
            bytes += member.json
        }
        bytes.append(UInt8(ascii: "}"))
    }
}

extension JSONValue {
    /// The text, or null.
    static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
}
#endif
