#if Server
import AppReceiptSupport
import AppReceiptKit

/// A complete response.
struct ServerResponse: Sendable {
    let status: Int
    /// The values by lowercase names.
    let headers: [String: String]
    let body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }
}

extension ServerResponse {
    /// The body as JSON, or null for other content.
    var json: AppStoreJSON { (try? AppStoreJSON(parsing: body[...])) ?? .null }

    /// The code of an error.
    var errorCode: String? { json["error"]?["code"]?.string }

    /// The status in a response of verifyReceipt.
    var receiptStatus: Int64? { json["status"]?.number?.int64 }

    /// Whether this is the response of an overloaded verifyReceipt endpoint.
    var isOverload: Bool { status == 503 && headers["retry-after"] == "1" && receiptStatus == 21005 }
}
#endif
