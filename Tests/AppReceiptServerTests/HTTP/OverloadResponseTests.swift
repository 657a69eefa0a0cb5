#if Server
import AppReceiptSupport
import HTTPTypes
import Testing

@testable import AppReceiptServer

@Suite("OverloadResponse")
struct OverloadResponseTests {
    @available(AppReceiptServer 1.0, *)
    @Test(
        "Under overload, verifyReceipt returns a status that Apple's clients know, and every response has Retry-After")
    func overload() throws {
        for path in ["/verifyReceipt", "/sandbox/verifyReceipt", "/verifyReceipt/", "/verifyReceipt?x=/"] {
            #expect(
                String(decoding: OverloadResponse(path: path, retryAfter: .seconds(7)).body, as: UTF8.self)
                    == #"{"status":21005}"#)
        }
        for path in ["/v1/receipts/validate", "/", "", "/verifyReceipts"] {
            let overload = OverloadResponse(path: path, retryAfter: .seconds(7))
            let json = try JSONValue(parsing: overload.body[...])
            #expect(json["error"]?["code"]?.string == "overloaded")
            #expect(overload.headers[.retryAfter] == "7")
            #expect(overload.headers[.contentLength] == "\(overload.body.count)")
        }
    }
}
#endif
