#if Server
import AppReceiptSupport
import AppReceiptKit
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import HTTPTypes
import Hummingbird
import Testing

@testable import AppReceiptServer

/// An inspector that trusts the test kit's roots, and requests to it.
@available(AppReceiptServer 1.0, *)
struct InspectorClient {
    var inspector: Inspector
    private let now = Date(timeIntervalSince1970: 1_720_000_000)

    init() throws {
        inspector = Inspector(
            receipts: ReceiptVerifier(anchors: try TestPKI.standard.anchors),
            signedData: SignedDataVerifier(anchors: try TestPKI.signedData.anchors))
    }

    init(_ inspector: Inspector) { self.inspector = inspector }

    /// Returns the response to a JSON object.
    func examine(_ json: AppStoreJSON.Object) throws -> InspectorResponse {
        let body = AppStoreJSON.object(json).text()
        let head = HTTPRequest(
            method: .post, scheme: "http", authority: "localhost", path: "/",
            headerFields: [.contentType: "application/json"])
        let request = try ValidationRequest(
            Request(head: head, body: RequestBody(buffer: .init())), body: body, content: InspectorRequest.contents,
            options: InspectorRequest.options)
        let inspected = try InspectorRequest(request)
        switch inspected.source {
        case .bytes(let bytes): return try inspector.examine(inspector.input(bytes), for: inspected, now: now)
        case .sample(let sample): return try inspector.examine(sample, for: inspected, now: now)
        case .search(let text): throw Unanswerable(text: text)
        }
    }

    /// A search needs a server.
    private struct Unanswerable: Error {
        let text: String
    }

    /// Returns the document for an input.
    func document(_ input: some Sequence<UInt8>, _ options: [String: AppStoreJSON] = [:]) throws -> AppStoreJSON.Object
    {
        var request: AppStoreJSON.Object = ["input": .string(Data(input).base64EncodedString())]
        for (name, value) in options { request[name] = value }
        return try #require(try AppStoreJSON(parsing: examine(request).bytes[...], depth: 64).object)
    }

    func document(_ text: String, _ options: [String: AppStoreJSON] = [:]) throws -> AppStoreJSON.Object {
        try document(Array(text.utf8), options)
    }
}

extension AppStoreJSON.Object {
    /// Returns the value at a path of members.
    func at(_ path: String...) -> AppStoreJSON? {
        var value: AppStoreJSON? = .object(self)
        for name in path { value = value?.object?[name] }
        return value
    }

    /// Returns the check with a name.
    func check(_ name: String) -> AppStoreJSON.Object? {
        self["checks"]?.array?.compactMap(\.object).first { $0["name"]?.string == name }
    }
}
#endif
