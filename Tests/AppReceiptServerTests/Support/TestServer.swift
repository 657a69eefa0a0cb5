#if Server
import AppReceiptSupport
import AppReceiptKit
import AppReceiptStore
import AppReceiptTesting
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import AppReceiptServer

/// A server whose router receives requests directly, without a socket.
@available(AppReceiptServer 1.0, *)
struct TestServer: Sendable {
    let metrics: PrometheusRegistry
    let log: CapturedLog
    private let server: ReceiptServer
    private let responder: RouterResponder<ServerContext>

    /// Runs `body` with a server that trusts the test PKIs.
    static func with<Value>(_ body: (TestServer) async throws -> Value) async throws -> Value {
        try await with({ _ in }, body)
    }

    /// Runs `body` with a server with a changed configuration, and closes its database.
    static func with<Value>(
        _ change: (inout ServerConfiguration) -> Void, _ body: (TestServer) async throws -> Value
    ) async throws -> Value {
        let server = try TestServer(change)
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(server))
        } catch {
            result = .failure(error)
        }
        try await server.server.service.store.close()
        return try result.get()
    }

    private init(_ change: (inout ServerConfiguration) -> Void) throws {
        var configuration = ServerConfiguration()
        configuration.anchors = try TrustAnchors(
            der: [TestPKI.standard.root.der(), TestPKI.signedData.root.der()])
        change(&configuration)
        (log, metrics) = (CapturedLog(), PrometheusRegistry())
        server = try ReceiptServer(configuration, logger: log.logger, metrics: metrics)
        responder = server.service.makeRouter().buildResponder()
    }

    /// Closes the database, so that every request that needs it fails.
    func closeStore() async throws { try await server.service.store.close() }

    /// Sends a request and returns the complete response.
    func send(
        _ method: HTTPRequest.Method, _ path: String, headers: [String: String] = [:], body: [UInt8] = []
    ) async throws -> ServerResponse {
        var fields = HTTPFields()
        for (name, value) in headers where name != "Host" { fields[try #require(HTTPField.Name(name))] = value }
        if !body.isEmpty { fields[.contentLength] = String(body.count) }
        let head = HTTPRequest(
            method: method, scheme: "http", authority: headers["Host"] ?? "localhost", path: path, headerFields: fields)
        var logger = log.logger
        logger[metadataKey: "hb.request.id"] = .stringConvertible(RequestID())
        let context = ServerContext(source: .init(channel: EmbeddedChannel(), logger: logger))
        let response = try await responder.respond(
            to: Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: body))), context: context)
        let collected = LockedValueBox(ByteBuffer())
        try await response.body.write(CollectingWriter(collected: collected))
        var named: [String: String] = [:]
        // The values of a repeated header are joined, so that tests see them.
        for field in response.headers {
            named[field.name.canonicalName, default: ""] +=
                (named[field.name.canonicalName] == nil ? "" : ", ") + field.value
        }
        return ServerResponse(
            status: response.status.code, headers: named, body: collected.withLock { Array($0.readableBytesView) })
    }

    func get(_ path: String, headers: [String: String] = [:]) async throws -> ServerResponse {
        try await send(.get, path, headers: headers)
    }

    func post(_ path: String, _ body: [UInt8], headers: [String: String] = [:]) async throws -> ServerResponse {
        try await send(.post, path, headers: headers, body: body)
    }

    /// Posts a JSON object.
    func post(_ path: String, _ json: AppStoreJSON, headers: [String: String] = [:]) async throws -> ServerResponse {
        try await post(path, json.text(), headers: headers.merging(["Content-Type": "application/json"]) { $1 })
    }

    private struct CollectingWriter: ResponseBodyWriter {
        let collected: LockedValueBox<ByteBuffer>

        func write(_ buffer: ByteBuffer) async throws {
            _ = collected.withLock { $0.writeImmutableBuffer(buffer) }
        }

        func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }
}
#endif
