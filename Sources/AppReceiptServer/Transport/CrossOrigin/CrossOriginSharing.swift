#if Server
import AppReceiptSupport
import HTTPTypes
import Hummingbird

/// Decides which pages of other origins may use which paths, and tells their browsers so (CORS). Source: Fetch, CORS
/// protocol.
///
/// Only for paths whose answers depend on the body alone: a browser adds no cookie or token.
@available(AppReceiptServer 1.0, *)
struct CrossOriginSharing: Sendable {
    private let allowedOrigins: Set<WebOrigin>
    /// Returns whether pages of these origins may use a path.
    let isShared: @Sendable (_ path: String) -> Bool

    /// Nothing is shared.
    static let none = CrossOriginSharing(allowedOrigins: []) { _ in false }

    /// - Parameters:
    ///   - allowedOrigins: The origins. A text that isn't an origin allows nothing.
    ///   - isShared: Returns whether pages of these origins may use a path.
    init(allowedOrigins: Set<String>, isShared: @escaping @Sendable (_ path: String) -> Bool) {
        self.allowedOrigins = Set(allowedOrigins.compactMap { WebOrigin($0) })
        self.isShared = isShared
    }

    /// Returns the value of `Access-Control-Allow-Origin` for a request; nil if its page may not use the path, and for
    /// a request without `Origin`.
    func allowedOrigin(of request: Request) -> String? {
        guard !allowedOrigins.isEmpty, isShared(request.uri.path), let origin = request.headers[.origin] else {
            return nil
        }
        if allowedOrigins.contains(.any) { return WebOrigin.any.text }
        // Byte by byte, because browsers always write an origin in the same way.
        return allowedOrigins.contains { $0.text.utf8.elementsEqual(origin.utf8) } ? origin : nil
    }

    /// Returns the response to a preflight request; nil for any other request.
    ///
    /// Every header is allowed, because the paths read none.
    func preflightResponse(to request: Request) -> Response? {
        guard request.method == .options, request.headers.contains(.accessControlRequestMethod) else { return nil }
        var headers = HTTPFields()
        headers[.accessControlAllowMethods] = "POST"
        let names = (request.headers[.accessControlRequestHeaders] ?? "").split(separator: ",")
            .compactMap { HTTPField.Name(String(decoding: Array($0.utf8)[...].trimmingWhitespace, as: UTF8.self)) }
            .map(\.canonicalName)
        if !names.isEmpty { headers[.accessControlAllowHeaders] = names.joined(separator: ", ") }
        headers[.accessControlMaxAge] = "86400"
        return Response(status: .noContent, headers: headers)
    }

    /// Adds the headers to the response to a request, whatever its status.
    func mark(_ response: inout Response, to request: Request) {
        guard !allowedOrigins.isEmpty, isShared(request.uri.path) else { return }
        response.headers[.vary] = "Origin"
        if let origin = allowedOrigin(of: request) { response.headers[.accessControlAllowOrigin] = origin }
    }
}
#endif
