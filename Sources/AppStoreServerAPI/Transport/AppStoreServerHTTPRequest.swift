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
