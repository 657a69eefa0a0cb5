#if Server
import AppReceiptSupport
import AppReceiptKit
import AppReceiptServer
import AppReceiptTesting
import Logging
import Testing

/// A server on a socket. Tests/Server covers overload, slow clients and stopping.
@Suite("ReceiptServer")
struct ReceiptServerTests {
    @available(AppReceiptServer 1.0, *)
    @Test("A server responds to requests over a connection")
    func answers() async throws {
        let body = request(try TestReceipt().signed())
        try await RunningServer.with { server async throws in
            let (first, second) = try await server.talk { connection in
                let head = "POST /sandbox/verifyReceipt HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.count)\r\n\r\n"
                try connection.send(Array(head.utf8) + body)
                let first = try connection.response()
                try connection.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
                return (first, try connection.response())
            }
            #expect(first?.receiptStatus == 0)
            #expect(first?.headers["content-length"] == first.map { String($0.body.count) })
            #expect(second?.json["status"] == "alive")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A server whose port is taken fails with the address and the reason")
    func portTaken() async throws {
        try await RunningServer.with { server async throws in
            var configuration = ServerConfiguration()
            configuration.port = server.port
            let second = try ReceiptServer(configuration, logger: Logger(label: "test"))
            let failure = await #expect(throws: ListeningFailure.self) { try await second.run() }
            #expect(failure?.description.contains("127.0.0.1, port \(server.port)") == true)
        }
    }
}
#endif
