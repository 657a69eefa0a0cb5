#if Server
import AppStoreServerAPI
import NIOCore
import NIOPosix
import Testing

@Suite("AsyncHTTPClientTransport")
struct AsyncHTTPClientTransportTests {
    @available(AppStoreServerAPI 1.0, *)
    private func send(
        _ answer: String, _ continuation: LocalServer.Continuation = .none, timeout: Duration = .seconds(20),
        maxBytes: Int = 1 << 20
    ) async throws -> AppStoreServerHTTPResponse {
        try await LocalServer.serve(answer, continuation) { _, address in
            try await AppStoreServerClient.AsyncHTTPClientTransport().send(
                AppStoreServerHTTPRequest(
                    method: .get, url: address + "/a", timeout: timeout, maxResponseBytes: maxBytes))
        }
    }

    @available(AppStoreServerAPI 1.0, *)
    private func error(
        _ answer: String, _ continuation: LocalServer.Continuation = .none, timeout: Duration = .seconds(20),
        maxBytes: Int = 1 << 20
    ) async -> AppStoreServerTransportError? {
        do {
            _ = try await send(answer, continuation, timeout: timeout, maxBytes: maxBytes)
            return nil
        } catch {
            return error as? AppStoreServerTransportError
        }
    }

    private let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

    @Test("Method, address, headers and body are sent, and status, headers and body of the answer are returned")
    @available(AppStoreServerAPI 1.0, *)
    func exchange() async throws {
        let answer = "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 7\r\nContent-Length: 2\r\n\r\n{}"
        try await LocalServer.serve(answer, requestEnd: #"{"a":1}"#) { server, address in
            let response = try await AppStoreServerClient.AsyncHTTPClientTransport().send(
                AppStoreServerHTTPRequest(
                    method: .put, url: address + "/a?b=c", headers: ["Authorization": "Bearer t"],
                    body: Array(#"{"a":1}"#.utf8)))
            #expect(response.status == 429)
            #expect(response.headers["retry-after"] == "7")
            #expect(response.body == Array("{}".utf8))
            #expect(server.requests.count == 1)
            #expect(server.requests[0].hasPrefix("PUT /a?b=c HTTP/1.1\r\n"))
            #expect(server.requests[0].contains("\r\nAuthorization: Bearer t\r\n"))
        }
    }

    @Test("An answer larger than the limit is an error, whether its length is announced or not")
    @available(AppStoreServerAPI 1.0, *)
    func size() async throws {
        let announced = head + "Content-Length: 100\r\n\r\n" + String(repeating: "x", count: 100)
        #expect(try await send(announced, maxBytes: 100).body.count == 100)
        #expect(await error(announced, maxBytes: 99) == .responseTooLarge)
        #expect(await error(head + "Connection: close\r\n\r\n", .drip, maxBytes: 5) == .responseTooLarge)
    }

    @Test(
        "The time limit covers the whole answer: none, a head that doesn't end, and a body that arrives a byte at a time",
        arguments: [
            ("", LocalServer.Continuation.none), ("", .drip), ("HTTP/1.1 200 OK\r\nX-Slow: ", .drip),
            ("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n", .none),
            ("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n", .drip),
        ])
    @available(AppStoreServerAPI 1.0, *)
    func time(_ answer: String, _ continuation: LocalServer.Continuation) async {
        let error = await error(answer, continuation, timeout: .milliseconds(300))
        // Bytes that can't begin a response are a failure at once.
        #expect(error == (answer.isEmpty && continuation == .drip ? .connectionClosed : .timedOut))
    }

    @Test("A redirect is an answer, and isn't followed")
    @available(AppStoreServerAPI 1.0, *)
    func redirect() async throws {
        try await LocalServer.serve(head + "Content-Length: 2\r\n\r\n{}") { other, otherAddress in
            for status in [301, 302, 303, 307, 308] {
                let response = try await send(
                    "HTTP/1.1 \(status) Moved\r\nLocation: \(otherAddress)/b\r\nContent-Length: 0\r\n\r\n")
                #expect(response.status == status)
            }
            #expect(other.requests.isEmpty)
        }
    }

    @Test(
        "A connection that is closed before the answer is complete is an error",
        arguments: ["", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", "not HTTP"])
    @available(AppStoreServerAPI 1.0, *)
    func broken(_ answer: String) async {
        #expect(await error(answer, .close) == .connectionClosed)
    }

    @Test("A port at which nothing listens is a refused connection")
    @available(AppStoreServerAPI 1.0, *)
    func refused() async throws {
        let address = try await LocalServer.serve("") { _, address in address }
        await #expect(throws: AppStoreServerTransportError.connectionRefused) {
            try await AppStoreServerClient.AsyncHTTPClientTransport().send(
                AppStoreServerHTTPRequest(method: .get, url: address))
        }
    }

    @Test("A canceled task ends the request at once")
    @available(AppStoreServerAPI 1.0, *)
    func cancellation() async throws {
        try await LocalServer.serve("") { server, address in
            let task = Task {
                try await AppStoreServerClient.AsyncHTTPClientTransport().send(
                    AppStoreServerHTTPRequest(method: .get, url: address, timeout: .seconds(600)))
            }
            for await _ in server.arrivals { break }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test("A failure of TLS names the cause, and isn't another failure to connect")
    @available(AppStoreServerAPI 1.0, *)
    func tls() async throws {
        for (answer, continuation, cause) in [
            ("HTTP/1.1 400 Bad Request\r\n\r\n", .none, "the server doesn't use TLS on this port"),
            ("", .close, "the server closed the connection during the handshake"),
        ] as [(String, LocalServer.Continuation, String)] {
            try await LocalServer.serve(answer, continuation, headEnd: "") { _, address in
                _ = await #expect(throws: AppStoreServerTransportError.secureConnectionFailed(cause)) {
                    try await AppStoreServerClient.AsyncHTTPClientTransport().send(
                        AppStoreServerHTTPRequest(method: .get, url: address.replacing("http:", with: "https:")))
                }
            }
        }
    }
}
#endif
