import AppReceiptSupport

/// Sends requests to the App Store's server.
///
/// The client decides what to send, when to repeat it, and what the response means. A transport only carries bytes, so
/// a test can replace it with a function.
@available(AppStoreServerAPI 1.0, *)
public protocol AppStoreServerTransport: Sendable {
    /// Sends a request and returns its response, whatever the status.
    ///
    /// A transport follows no redirects, because the authorization is for the request's host only. It stops reading at
    /// ``AppStoreServerHTTPRequest/maxResponseBytes``.
    ///
    /// - Parameter request: The request.
    /// - Returns: The complete response.
    /// - Throws: ``AppStoreServerTransportError`` if no complete response was received, or `CancellationError`.
    func send(_ request: AppStoreServerHTTPRequest) async throws -> AppStoreServerHTTPResponse
}

/// A request to the App Store's server.
@available(AppStoreServerAPI 1.0, *)
public struct AppStoreServerHTTPRequest: Sendable, Hashable {
    /// The method of a request.
    public enum Method: String, Sendable, Hashable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case delete = "DELETE"
    }

    /// The method.
    public var method: Method
    /// The absolute address, with its query.
    public var url: String
    /// The headers, by name. They include `Authorization`, which is a secret.
    public var headers: [String: String]
    /// The body; nil for none.
    public var body: [UInt8]?
    /// The time in which the response must be complete.
    public var timeout: Duration
    /// The maximum size of the response's body.
    public var maxResponseBytes: Int

    /// Creates a request.
    public init(
        method: Method, url: String, headers: [String: String] = [:], body: [UInt8]? = nil,
        timeout: Duration = .seconds(30), maxResponseBytes: Int = 4 << 20
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
        self.maxResponseBytes = maxResponseBytes
    }
}

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerHTTPRequest: CustomStringConvertible {
    /// The method and address, without headers and body.
    public var description: String { "\(method.rawValue) \(url)" }
}

/// A response of the App Store's server. Nothing in it is verified.
@available(AppStoreServerAPI 1.0, *)
public struct AppStoreServerHTTPResponse: Sendable, Hashable {
    /// The HTTP status.
    public var status: Int
    /// The headers. The names are in lowercase.
    public var headers: [String: String]
    /// The body.
    public var body: [UInt8]

    /// Creates a response.
    public init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerHTTPResponse: CustomStringConvertible {
    /// The status and the size of the body, without its contents.
    public var description: String { "HTTP \(status), \(body.count) bytes" }
}

/// The reason for which a transport received no complete response.
@available(AppStoreServerAPI 1.0, *)
public enum AppStoreServerTransportError: Error, Sendable, Hashable {
    /// The host's name can't be resolved.
    case hostNotFound
    /// The host refused the connection.
    case connectionRefused
    /// The connection was closed before the response was complete.
    case connectionClosed
    /// The server couldn't be authenticated, so nothing was sent. Names the cause, as a clause without a period.
    case secureConnectionFailed(String)
    /// The server can't be reached for another reason. Names the cause, without secrets.
    case connectionFailed(String)
    /// The response wasn't complete in time.
    case timedOut
    /// The response is larger than the request allows.
    case responseTooLarge
}

/// Runs `body`, an exchange of a request and its whole response, and cancels it when the time is over.
///
/// - Throws: `timedOut`, or the error of `body`.
@available(AppStoreServerAPI 1.0, *)
func withTimeLimit<Value: Sendable>(
    _ limit: Duration, body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await Task.sleep(for: limit)
            throw AppStoreServerTransportError.timedOut
        }
        defer { group.cancelAll() }
        guard let value = try await group.next() else { throw CancellationError() }
        return value
    }
}

@available(AppStoreServerAPI 1.0, *)
extension Duration {
    /// The duration in seconds.
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}

extension AppStoreJSON.Object {
    /// The JSON object in a body; nil if there is none.
    init?(response body: [UInt8]) {
        guard let object = try? AppStoreJSON(parsing: body[...].withoutByteOrderMark, depth: 16).object else {
            return nil
        }
        self = object
    }
}
