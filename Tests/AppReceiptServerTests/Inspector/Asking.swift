#if Server
import AppReceiptKit
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing
import AppReceiptSupport

@testable import AppReceiptServer

/// An inspector of the test kit's receipts, and questions to it.
struct Asking {
    var inspector: Inspector
    var now = Date(timeIntervalSince1970: 1_720_000_000)

    /// Trusts the test kit's root.
    init() throws {
        inspector = Inspector(
            receipts: ReceiptVerifier(anchors: try TestPKI.standard.anchors),
            signedData: SignedDataVerifier(anchors: try TestPKI.signedData.anchors))
    }

    /// The document on an input with more members.
    func document(_ input: some Sequence<UInt8>, _ members: [String: JSONValue] = [:]) throws -> JSONObject {
        var request: JSONObject = ["input": .string(Data(input).base64EncodedString())]
        for (name, value) in members { request[name] = value }
        let answer = inspector.answer(to: JSONValue.object(request).text()[...], now: now)
        #expect(answer.status == 200)
        return try #require(try JSONValue(parsing: answer.body[...], depth: 64).object)
    }

    func document(_ text: String, _ members: [String: JSONValue] = [:]) throws -> JSONObject {
        try document(Array(text.utf8), members)
    }

    /// Status and code of a request that is refused.
    func refusal(_ body: String) throws -> (status: Int, code: String?) {
        let answer = inspector.answer(to: Array(body.utf8)[...], now: now)
        let error = try JSONValue(parsing: answer.body[...]).object?["error"]?.object
        #expect(error?["message"]?.string?.isEmpty == false && error?["remedy"]?.string?.isEmpty == false)
        #expect(error?["code"]?.string == answer.code)
        return (answer.status, answer.code)
    }
}

extension JSONObject {
    /// A member of a member.
    func at(_ path: String...) -> JSONValue? {
        var value: JSONValue? = .object(self)
        for name in path { value = value?.object?[name] }
        return value
    }

    /// A check by its name.
    func check(_ name: String) -> JSONObject? {
        self["checks"]?.array?.compactMap(\.object).first { $0["name"]?.string == name }
    }
}
#endif
