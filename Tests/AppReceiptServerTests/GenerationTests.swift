#if Server
import AppReceiptKit
import AppReceiptServer
import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing
import VerifyReceipt

@Suite("Reload of the configuration")
struct GenerationTests {
    private struct Broken: Error, CustomStringConvertible {
        let description = "settings.json: Unknown setting 'app'."
    }

    private static func request(_ app: String) throws -> [UInt8] {
        let receipt = try TestReceipt(bundleIdentifier: app).signed().base64
        let body = "{\"receipt-data\": \"\(receipt)\"}"
        return Array(
            "POST /sandbox/verifyReceipt HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.utf8.count)\r\n\r\n".utf8)
            + Array(body.utf8)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A reload adds an app without closing a connection, and a broken configuration changes nothing")
    func apps() async throws {
        let configuration = LockedValueBox<ServerConfiguration?>(nil)
        try await RunningServer.with {
            $0.bundleIdentifiers = ["com.example.app"]
        } reload: {
            guard let reloaded = configuration.withLock({ $0 }) else { throw Broken() }
            return reloaded
        } _: { running async throws in
            let requests = [try Self.request("com.example.app"), try Self.request("com.example.other")]
            let statuses = try await running.talk { connection in
                func statuses() throws -> [Int64?] {
                    try requests.map { request in
                        try connection.send(request)
                        return try connection.response()?.receiptStatus
                    }
                }
                var all = [try statuses()]
                var reloaded = ServerConfiguration()
                reloaded.bundleIdentifiers = ["com.example.app", "com.example.other"]
                reloaded.host = "192.0.2.1"
                reloaded.tracing = TracingConfiguration(endpoint: "http://collector.example.com:4318")
                reloaded.xcode = try XcodeTrust(der: [TestPKI.xcode.der()])
                configuration.withLock { [reloaded] in $0 = reloaded }
                running.server.reload()
                all.append(try statuses())
                configuration.withLock { $0 = nil }
                running.server.reload()
                all.append(try statuses())
                return all
            }
            #expect(statuses == [[0, 21003], [0, 0], [0, 0]])
            #expect(running.log.text.contains("The configuration was reloaded"))
            #expect(running.log.text.contains("Some settings need a restart"))
            #expect(running.log.text.contains("trust-xcode"))
            #expect(running.log.text.contains("otlp-endpoint"))
            #expect(running.log.text.contains("the former one stays"))
            #expect(running.metrics.text().contains("appreceipt_last_reload_successful 0\n"))
            #expect(running.log.text.contains("Unknown setting 'app'."))
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A reload keeps the database, and replaces tokens")
    func tokens() async throws {
        let token = try TestTransaction("com.example.pro", transaction: "7").signed()
        try await RunningServer.with { _ in
        } reload: {
            var reloaded = ServerConfiguration()
            reloaded.tokens = [AccessToken(SharedSecret("secret"))]
            return reloaded
        } _: { running async throws in
            let body = Array(token.utf8)
            #expect(try await running.send("POST", "/v1/signed-data/verify", body: body).status == 200)
            running.server.reload()
            #expect(try await running.send("GET", "/v1/purchases/7").status == 401)
            let known = try await running.send("GET", "/v1/purchases/7", headers: ["Authorization": "Bearer secret"])
            #expect(known.status == 200)
        }
    }
}
#endif
