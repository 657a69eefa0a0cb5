#if Server
import AppReceiptSupport
import AppReceiptKit
import AppReceiptServer
import AppReceiptTesting
import Foundation
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
    @Test(
        "A receipt that is sent again is answered like the first time, and one of another account is a replay",
        arguments: [("/sandbox/verifyReceipt", "receipt-data"), ("/v1/receipts/validate", "receipt")])
    func repeatedReceipts(path: String, member: String) async throws {
        let receipt = try TestReceipt(purchases: [TestPurchase("com.example.product", transaction: "1")]).signed()
        let body = Array(#"{"\#(member)":"\#(Data(receipt).base64EncodedString())"}"#.utf8)
        try await RunningServer.with { server async throws in
            // The third submission is known to be the only evidence without reading the database.
            let responses = try await server.talk { connection in
                try ["alice", "alice", "alice", "mallory"].map { account in
                    let head = "POST \(path) HTTP/1.1\r\nHost: x\r\nX-Account: \(account)\r\n"
                    try connection.send(Array("\(head)Content-Length: \(body.count)\r\n\r\n".utf8) + body)
                    return try connection.response()
                }
            }
            let replays = responses.map { response in
                response?.headers["x-replay"] ?? response?.json["replays"]?.array.map { String($0.count) }
            }
            #expect(replays == ["0", "0", "0", "1"])
            let contents = responses.map { $0?.json["receipt"]?["in_app"] ?? $0?.json["verdict"] }
            #expect(contents.allSatisfy { $0 != nil && $0 == contents[0] })
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
