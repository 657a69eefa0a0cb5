#if Server
import AppReceiptKit
import AppReceiptServer
import AppReceiptTesting
import Foundation
import Testing

/// A server refuses at once what would be too much, and goes on serving the others.
@Suite struct AdmissionTests {
    /// The head of a request for verifyReceipt with a body of this length.
    private static func head(_ length: Int, path: String = "/verifyReceipt") -> String {
        "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(length)\r\n\r\n"
    }

    @available(AppReceiptServer 1.0, *)
    @Test(
        "Bodies take up room as they come, and not as they are announced; one too many gets 503 and when to come again")
    func room() async throws {
        try await RunningServer.with {
            $0.limits.bodyBytes = 100_000
            $0.limits.allBodiesBytes = 150_000
        } _: { server async throws in
            let port = server.port
            let most = String(repeating: " ", count: 90_000)
            let open = try await onThread { () -> [Connection] in
                // Announcements alone keep nobody out.
                let announced = try (0..<20).map { _ in try Connection(port: port) }
                for connection in announced { try connection.send(Self.head(100_000)) }
                let first = try Connection(port: port)
                try first.send(Self.head(100_000) + most)
                return announced + [first]
            }
            try await server.wait { $0.number("appreceipt_body_bytes") ?? 0 >= 90_000 }
            let (second, small) = try await onThread { () -> (Answer?, Answer?) in
                let second = try Connection(port: port)
                try second.send(Self.head(100_000) + most)
                let small = try Connection(port: port)
                try small.send(Self.head(2, path: "/v1/receipts/inspect") + "{}")
                let answers = (try second.response(), try small.response())
                // Until here: what nobody needs any more is closed, in a release build at once.
                withExtendedLifetime(open) {}
                return answers
            }
            #expect(second?.isOverload == true)
            #expect(small?.status == 400)
            #expect(!server.metrics.text().contains(#"appreceipt_overload_total{reason="memory"} 0"#))
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A connection that is one too many is told so in its first answer, and others are served on")
    func connections() async throws {
        try await RunningServer.with {
            $0.limits.connections = 2
        } _: { server async throws in
            let port = server.port
            let (refused, served) = try await onThread { () -> (Answer?, Answer?) in
                let open = try [Connection(port: port), Connection(port: port)]
                // They count once the server has accepted them: an answer proves it.
                for connection in open {
                    try connection.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    _ = try connection.response()
                }
                let third = try Connection(port: port)
                try third.send(Self.head(2) + "{}")
                let refused = try third.response()
                guard try third.isClosed() else { return (nil, nil) }
                try open[0].send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                return (refused, try open[0].response())
            }
            #expect(refused?.isOverload == true)
            #expect(served?.status == 200)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A request that is one too many among those being judged gets 503, and never waits")
    func requests() async throws {
        // None is judged at a time.
        try await RunningServer.with {
            $0.limits.requests = 0
        } _: { server async throws in
            let receipt = try await server.post("/v1/receipts/validate", try TestReceipt().signed())
            #expect(receipt.status == 503)
            #expect(receipt.errorCode == "overloaded")
            #expect(receipt.headers["retry-after"] == "1")
            let answer = try await server.post("/verifyReceipt", request(try TestReceipt().signed()))
            #expect(answer.isOverload)
            #expect(try await server.get("/healthz").status == 200)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A body that is too large is refused by its announcement, or once it is")
    func tooLarge() async throws {
        try await RunningServer.with {
            $0.limits.bodyBytes = 4096
        } _: { server async throws in
            let port = server.port
            let (announced, chunked) = try await onThread { () -> (Answer?, Answer?) in
                let first = try Connection(port: port)
                try first.send(Self.head(5000, path: "/v1/receipts/validate"))
                let announced = try first.response()
                let second = try Connection(port: port)
                try second.send(
                    "POST /v1/receipts/validate HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
                let part = "800\r\n" + String(repeating: "x", count: 0x800) + "\r\n"
                for _ in 0..<3 { try? second.send(part) }
                return (announced, try second.response())
            }
            for answer in [announced, chunked] {
                #expect(answer?.status == 413)
                #expect(answer?.errorCode == "body-too-large")
            }
            #expect(try await server.get("/metrics").text.contains("appreceipt_body_bytes 0\n"))
        }
    }
}
#endif
