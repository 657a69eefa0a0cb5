import AppReceiptSupport
import AppStoreServerAPI

/// Answers requests with a function, and records them.
@available(AppStoreServerAPI 1.0, *)
final class ScriptedTransport: AppStoreServerTransport {
    /// Answers a request. The number counts the requests from 0.
    typealias Script = @Sendable (AppStoreServerHTTPRequest, Int) throws -> AppStoreServerHTTPResponse

    private let script: Script
    private let recorded = LockedValueBox<[AppStoreServerHTTPRequest]>([])

    init(_ script: @escaping Script) { self.script = script }

    /// Answers with these responses in order, then with the last one.
    convenience init(_ responses: AppStoreServerHTTPResponse...) {
        self.init { _, number in responses[min(number, responses.count - 1)] }
    }

    /// The requests so far.
    var requests: [AppStoreServerHTTPRequest] { recorded.withLock { $0 } }

    /// Method and address of the requests so far. The hosts are abbreviated.
    var log: [String] {
        requests.map { request in
            let url = request.url.replacing("https://api.storekit.apple.com", with: "production")
                .replacing("https://api.storekit-sandbox.apple.com", with: "sandbox")
            return "\(request.method.rawValue) \(url)"
        }
    }

    func send(_ request: AppStoreServerHTTPRequest) async throws -> AppStoreServerHTTPResponse {
        let number = recorded.withLock { requests in
            requests.append(request)
            return requests.count - 1
        }
        return try script(request, number)
    }
}

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerHTTPResponse {
    /// A successful response with a JSON body.
    static func json(_ value: AppStoreJSON) -> Self { Self(status: 200, body: value.text()) }

    /// One of Apple's errors.
    static func apple(_ number: Int64, _ message: String = "Made up.", headers: [String: String] = [:]) -> Self {
        Self(
            status: Int(number / 10_000), headers: headers,
            body: AppStoreJSON.object([
                "errorCode": .number(AppStoreJSON.Number(number)), "errorMessage": .string(message),
            ]).text())
    }

    /// A 401, whose body contains nothing that helps.
    static let unauthenticated = Self(status: 401, body: Array("Unauthenticated\n".utf8))

    /// A proxy's error page.
    static let badGateway = Self(status: 502, body: Array("<html><body>Bad Gateway</body></html>".utf8))
}
