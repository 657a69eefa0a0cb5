#if Server
import AppReceiptKit
import AppReceiptServer
import AppReceiptTesting
import Foundation
import ServiceLifecycle
import Testing

/// Slow clients are cut off, however they are slow, and nobody else is.
@Suite struct ConnectionDeadlinesTests {
    @available(AppReceiptServer 1.0, *)
    @Test("A head that comes byte by byte is cut off when its time is over, not when it pauses")
    func drippingHead() async throws {
        try await RunningServer.with {
            $0.limits.idleSeconds = 1
        } _: { server async throws in
            let isCut = try await server.talk { connection -> Bool in
                for byte in "GET /healthz HTTP/1.1\r\nX-Slow: aaaaaaaaaaaaaaaaaaaaaaaaaa".utf8 {
                    do { try connection.send([byte]) } catch { return true }
                    Thread.sleep(forTimeInterval: 0.05)
                }
                return try connection.isClosed()
            }
            #expect(isCut)
            #expect(server.metrics.text().contains(#"appreceipt_cut_off_total{phase="head"} 1"#))
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A body that comes byte by byte is cut off when its time is over")
    func drippingBody() async throws {
        try await RunningServer.with {
            $0.limits.bodySeconds = 1
        } _: { server async throws in
            let isCut = try await server.talk { connection -> Bool in
                try connection.send("POST /verifyReceipt HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n")
                for _ in 0..<40 {
                    do { try connection.send("x") } catch { return true }
                    Thread.sleep(forTimeInterval: 0.05)
                }
                return try connection.isClosed()
            }
            #expect(isCut)
            let metrics = try await server.get("/metrics").text
            #expect(metrics.contains(#"appreceipt_cut_off_total{phase="body"} 1"#))
            // What it took up is given back, and the server is not to blame.
            #expect(metrics.contains("appreceipt_body_bytes 0\n"))
            #expect(!metrics.contains(#"status="500""#) && !server.log.text.contains("Internal error"))
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Who sends requests in time may stay connected longer than any of the times")
    func patientClients() async throws {
        try await RunningServer.with {
            $0.limits.idleSeconds = 8
            $0.limits.bodySeconds = 8
        } _: { server async throws in
            let statuses = try await server.talk { connection -> [Int] in
                var statuses: [Int] = []
                for _ in 0..<6 {
                    try connection.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    statuses.append(try connection.response()?.status ?? 0)
                    Thread.sleep(forTimeInterval: 1.6)
                }
                return statuses
            }
            #expect(statuses == [200, 200, 200, 200, 200, 200])
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test(
        "A client that hangs up or sends what is no HTTP in the middle of a body is no fault of the server",
        arguments: [
            "Content-Length: 1000\r\n\r\nabc", "Transfer-Encoding: chunked\r\n\r\nZZ\r\nabc",
            "Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFF\r\nabc",
        ])
    func brokenBodies(rest: String) async throws {
        try await RunningServer.with { server async throws in
            try await server.talk { connection in
                try connection.send("POST /verifyReceipt HTTP/1.1\r\nHost: x\r\n" + rest)
                _ = try? connection.response(within: 0.3)
            }
            // Until the server has noticed.
            try await server.wait { $0.number("appreceipt_connections") == 0 }
            #expect(!server.log.text.contains("Internal error"))
            #expect(!server.metrics.text().contains(#"status="500""#))
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test(
        "A connection that is to be closed is closed after its answer, however that is spelled",
        arguments: ["close", "Close", "close, TE", "keep-alive , CLOSE"])
    func saysClose(value: String) async throws {
        try await RunningServer.with { server async throws in
            let (status, isClosed) = try await server.talk { connection -> (Int?, Bool) in
                try connection.send("GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: \(value)\r\n\r\n")
                return (try connection.response()?.status, try connection.isClosed())
            }
            #expect(status == 200 && isClosed)
            #expect(server.metrics.text().contains(#"appreceipt_cut_off_total{phase="head"} 0"#))
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("After an answer that refuses a body nothing that follows is answered")
    func refusedBodyIsTheEnd() async throws {
        try await RunningServer.with({ $0.limits.bodyBytes = 4096 }) { server async throws in
            let (first, isClosed) = try await server.talk { connection -> (Answer?, Bool) in
                try connection.send("POST /verifyReceipt HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\n")
                let first = try connection.response()
                try? connection.send(String(repeating: " ", count: 5000) + "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
                return (first, try connection.isClosed())
            }
            #expect(first?.receiptStatus == 21000)
            #expect(isClosed)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Requests that are sent at once are all answered, in their order")
    func pipelining() async throws {
        try await RunningServer.with { server async throws in
            let bodies = try await server.talk { connection -> [String] in
                let requests = ["/healthz", "/readyz", "/verifyReceipt"].map {
                    "GET \($0) HTTP/1.1\r\nHost: localhost\r\n\r\n"
                }
                try connection.send(requests.joined())
                return try requests.map { _ in try connection.response()?.text ?? "" }
            }
            #expect(bodies == [#"{"status":"alive"}"#, #"{"status":"ready"}"#, #"{"status":21000}"#])
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A connection is closed after the request that says so, not after one before it")
    func lastOfSeveral() async throws {
        try await RunningServer.with { server async throws in
            let (statuses, isClosed) = try await server.talk { connection -> ([Int?], Bool) in
                let get = "GET /healthz HTTP/1.1\r\nHost: x\r\n"
                try connection.send(
                    "\(get)\r\nPOST /verifyReceipt HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\n"
                )
                let first = try connection.response()?.status
                Thread.sleep(forTimeInterval: 0.2)
                try connection.send("{}\(get)\r\n")
                return ([first, try connection.response()?.status], try connection.isClosed())
            }
            #expect(statuses == [200, 200] && isClosed)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Who waits to be told to send a body is told so once the answers before it have left")
    func goAheadAfterAnswers() async throws {
        try await RunningServer.with { server async throws in
            let statuses = try await server.talk { connection -> [Int?] in
                try connection.send(
                    "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nPOST /verifyReceipt HTTP/1.1\r\nHost: x\r\n"
                        + "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n")
                let first = try connection.response()?.status
                let goAhead = try connection.response()?.status
                try connection.send("{}")
                return [first, goAhead, try connection.response()?.status]
            }
            #expect(statuses == [200, 100, 200])
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test(
        "What is no HTTP, or has a head beyond the limit, gets 400 and no more",
        arguments: [
            "HELLO\r\n\r\n", "GET /healthz HTTP/1.1\r\nX: " + String(repeating: "x", count: 20_000) + "\r\n\r\n",
            "POST /verifyReceipt HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
            "POST /verifyReceipt HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
            "GET /" + String(repeating: "x", count: 100_000) + " HTTP/1.1\r\nHost: x\r\n\r\n",
        ])
    func malformedHeads(text: String) async throws {
        try await RunningServer.with { server async throws in
            let status = try await server.talk { connection -> Int? in
                try? connection.send(text)
                return try connection.response()?.status
            }
            #expect(status == nil || status == 400)
            #expect(try await server.get("/healthz").status == 200)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("When the server stops, a request in flight is still answered")
    func gracefulStop() async throws {
        let body = request(try TestReceipt().signed())
        let answer = try await RunningServer.with { server async throws -> Answer? in
            let connection = try await server.talk { connection -> Connection in
                try connection.send(
                    "POST /sandbox/verifyReceipt HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.count)\r\n\r\n")
                try connection.send(Array(body[..<100]))
                return connection
            }
            // Its room is taken: the server has begun to read it.
            try await server.wait { $0.number("appreceipt_body_bytes") ?? 0 > 0 }
            await server.group.triggerGracefulShutdown()
            try await Task.sleep(for: .milliseconds(200))
            return try await onThread {
                try connection.send(Array(body[100...]))
                return try connection.response()
            }
        }
        #expect(answer?.receiptStatus == 0)
    }
}
#endif
