#if Server
import HTTPTypes
import Hummingbird
import Logging

/// Rejects requests that a browser sends for another site, before their bodies are read.
@available(AppReceiptServer 1.0, *)
struct CrossOriginProtection: Sendable {
    private let policy: CrossOriginPolicy

    init(allowedHosts: Set<String>) { policy = CrossOriginPolicy(allowedHosts: allowedHosts) }

    /// Checks that a browser doesn't send the request for another site.
    func check(_ request: Request, logger: Logger) throws(APIError) {
        do throws(CrossOriginPolicy.Violation) {
            // The values of a repeated Origin or Sec-Fetch header are joined by commas, which isn't valid. Of a
            // repeated Host, which browsers don't send, the first is used.
            try policy.check(
                CrossOriginPolicy.RequestHead(
                    method: request.method, path: request.uri.path, host: request.head.authority,
                    origin: request.headers[.origin], fetchSite: request.headers[.secFetchSite],
                    fetchMode: request.headers[.secFetchMode]))
        } catch {
            logger.info("Cross-origin request rejected", metadata: error.metadata)
            throw APIError(.forbidden, .crossOrigin, error.message)
        }
    }
}

extension CrossOriginPolicy.Violation {
    /// The reason, and the host that the operator may want to allow.
    fileprivate var metadata: Logger.Metadata {
        switch self {
        case .site: ["reason": "site"]
        case .origin: ["reason": "origin"]
        case .host(let host): ["reason": "host", "host": "\(host.map { "\($0)" } ?? "invalid")"]
        }
    }
}
#endif
