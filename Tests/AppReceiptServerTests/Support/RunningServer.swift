#if Server
import AppReceiptKit
import AppReceiptServer
import AppReceiptTesting
import Foundation
import Logging
import ServiceLifecycle
@_exported import TestSupport
import AppReceiptSupport

/// A server that listens on loopback while a test runs.
@available(AppReceiptServer 1.0, *)
struct RunningServer: Sendable {
    let port: Int
    let server: ReceiptServer
    let group: ServiceGroup
    let metrics: PrometheusRegistry
    let log: CapturedLog

    /// Runs a server that trusts the test PKIs, and stops it afterwards.
    static func with<Value: Sendable>(_ body: (RunningServer) async throws -> Value) async throws -> Value {
        try await with({ _ in }, body)
    }

    /// Runs a server with a changed configuration.
    static func with<Value: Sendable>(
        _ change: (inout ServerConfiguration) -> Void,
        reload: (@Sendable () throws -> ServerConfiguration)? = nil, _ body: (RunningServer) async throws -> Value
    ) async throws -> Value {
        var configuration = ServerConfiguration()
        configuration.port = 0
        // Tests that run at the same time may delay requests beyond the default deadlines.
        configuration.limits.bodyTimeout = .seconds(600)
        configuration.limits.responseTimeout = .seconds(600)
        configuration.anchors = try TrustAnchors(
            der: [TestPKI.standard.root.der(), TestPKI.signedData.root.der()])
        change(&configuration)
        let (ports, continuation) = AsyncStream<Int>.makeStream()
        let (log, metrics) = (CapturedLog(), PrometheusRegistry())
        let server = try ReceiptServer(configuration, logger: log.logger, metrics: metrics, reload: reload) { port in
            continuation.yield(port)
        }
        let group = ServiceGroup(services: [server], logger: log.logger)
        let running = Task {
            defer { continuation.finish() }
            try await group.run()
        }
        var iterator = ports.makeAsyncIterator()
        guard let port = await iterator.next() else {
            try await running.value
            throw Connection.Failure(what: "listen", number: 0)
        }
        let result: Result<Value, any Error>
        do {
            result = .success(
                try await body(RunningServer(port: port, server: server, group: group, metrics: metrics, log: log)))
        } catch {
            result = .failure(error)
        }
        await group.triggerGracefulShutdown()
        try await running.value
        return try result.get()
    }

    /// Calls `talk` with a new connection, on a separate thread.
    func talk<Value: Sendable>(_ talk: @escaping @Sendable (Connection) throws -> Value) async throws -> Value {
        let port = port
        return try await onThread { try talk(Connection(port: port)) }
    }

    /// Sends a request and waits for its response.
    func send(
        _ method: String, _ path: String, headers: [String: String] = [:], body: [UInt8] = []
    ) async throws -> ServerResponse {
        try await talk { connection in
            var text = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            if !body.isEmpty || method == "POST" { text += "Content-Length: \(body.count)\r\n" }
            for (name, value) in headers { text += "\(name): \(value)\r\n" }
            try connection.send(Array((text + "\r\n").utf8) + body)
            guard let answer = try connection.response(toHead: method == "HEAD") else {
                throw Connection.Failure(what: "no response", number: 0)
            }
            return answer
        }
    }

    func get(_ path: String, headers: [String: String] = [:]) async throws -> ServerResponse {
        try await send("GET", path, headers: headers)
    }

    func post(_ path: String, _ body: [UInt8], headers: [String: String] = [:]) async throws -> ServerResponse {
        try await send("POST", path, headers: headers, body: body)
    }

    /// Posts a JSON object.
    func post(_ path: String, _ json: AppStoreJSON, headers: [String: String] = [:]) async throws -> ServerResponse {
        try await post(path, json.text(), headers: headers.merging(["Content-Type": "application/json"]) { $1 })
    }
}

extension PrometheusRegistry {
    /// The value of a series without labels.
    func number(_ name: String) -> Int? {
        text().split(separator: "\n").first { $0.hasPrefix(name + " ") }.flatMap { Int($0.dropFirst(name.count + 1)) }
    }
}
#endif
