#if Server
import HTTPTypes
import Hummingbird

/// Rejects requests that a browser sends for another site, before their bodies are read.
@available(AppReceiptServer 1.0, *)
struct CrossOriginProtection: Sendable {
    private let policy: CrossOriginPolicy
    private let sharing: CrossOriginSharing

    /// - Parameters:
    ///   - allowedHosts: The hosts under which browsers may use the server, besides loopback names.
    ///   - sharing: What pages of other origins may use.
    init(allowedHosts: Set<String>, sharing: CrossOriginSharing = .none) {
        policy = CrossOriginPolicy(allowedHosts: allowedHosts)
        self.sharing = sharing
    }

    /// Checks that a browser doesn't send the request for another site, unless it may.
    func check(_ request: Request) throws(APIError) {
        guard sharing.allowedOrigin(of: request) == nil else { return }
        do throws(CrossOriginPolicy.Violation) {
            // The values of a repeated Origin or Sec-Fetch header are joined by commas, which isn't valid. Of a
            // repeated Host, which browsers don't send, the first is used.
            try policy.check(
                CrossOriginPolicy.RequestHead(
                    method: request.method, path: request.uri.path, host: request.head.authority,
                    origin: request.headers[.origin], fetchSite: request.headers[.secFetchSite],
                    fetchMode: request.headers[.secFetchMode]))
        } catch {
            let message =
                sharing.isShared(request.uri.path)
                ? "This page's origin isn't allowed. Add it to the server's setting 'allowed-origin'." : error.message
            var rejection = APIError(.forbidden, .crossOrigin, message)
            rejection.reason = error.reason
            throw rejection
        }
    }
}

extension CrossOriginPolicy.Violation {
    /// What the log calls it. It doesn't contain the host, of which a client may send any number.
    fileprivate var reason: String {
        switch self {
        case .site: "site"
        case .origin: "origin"
        case .host: "host"
        }
    }
}
#endif
