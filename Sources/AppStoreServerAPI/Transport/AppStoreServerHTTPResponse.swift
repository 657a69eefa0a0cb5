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
