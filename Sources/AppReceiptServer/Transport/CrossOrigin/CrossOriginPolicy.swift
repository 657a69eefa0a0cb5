#if Server
import HTTPTypes

/// Decides which requests of browsers are accepted.
///
/// Browsers send `Origin` with every POST, and `Sec-Fetch-Site` to HTTPS and loopback addresses. Pages can change
/// neither. A request with neither is accepted with any `Host`: programs send none. Otherwise:
///
/// - `Sec-Fetch-Site` must be `same-origin` or `none`. Links to the inspector's page may be anywhere.
/// - `Origin` must have the host and port of `Host`. The scheme may differ, because a proxy may end TLS.
/// - `Host` must be a loopback name or an allowed host. Without this rule, a site whose name resolves to this machine
///   (DNS rebinding) would have the same origin as the server.
///
/// `Sec-Fetch-Mode` alone doesn't identify a browser: Node.js sends it too.
struct CrossOriginPolicy: Sendable {
    /// The parts of a request that count.
    struct RequestHead: Sendable {
        var method = HTTPRequest.Method.post
        var path = "/"
        var host: String?
        var origin: String?
        var fetchSite: String?
        var fetchMode: String?

        /// Whether a browser navigates to the inspector's page. It shows nothing of a receipt, and no site can frame
        /// it.
        fileprivate var isNavigationToPage: Bool {
            // The router ignores slashes at the end.
            fetchMode == "navigate" && (method == .get || method == .head) && path.allSatisfy { $0 == "/" }
        }
    }

    /// The reason why a request is rejected.
    enum Violation: Error, Hashable {
        /// A page of another site sent the request.
        case site
        /// A page of another origin sent the request to this host.
        case origin(host: Authority?)
        /// The host isn't allowed; nil if it isn't a valid one.
        case host(Authority?)

        /// The problem and its remedy.
        var message: String {
            switch self {
            case .site:
                "A page of another site sent this request. Use this server's own page, or a program that isn't a browser."
            case .origin(let host):
                "The request's Origin doesn't match its Host, \(host.map { "'\($0)'" } ?? "which isn't valid"). Use this server's "
                    + "own page. If a proxy changes the Host, configure it to pass on the client's."
            case .host(let host?):
                "Browsers can't use this server as '\(host)'. If that is its name, add it to the server's allowed hosts."
            case .host(nil):
                "Browsers can't use this server without a valid Host. Use its name, or add it to the server's allowed hosts."
            }
        }
    }

    private let allowedHosts: Set<Authority>

    /// - Parameter allowedHosts: Hosts with or without a port. A host without one is allowed with every port.
    init(allowedHosts: Set<String>) { self.allowedHosts = Set(allowedHosts.compactMap { Authority($0) }) }

    /// Checks a request's head.
    func check(_ request: RequestHead) throws(Violation) {
        guard request.origin != nil || request.fetchSite != nil else { return }
        if let site = request.fetchSite, site != "same-origin", site != "none", !request.isNavigationToPage {
            throw .site
        }
        let host = request.host.flatMap { Authority($0) }
        if let origin = request.origin, !Self.origin(origin, isAt: host) { throw .origin(host: host) }
        guard let host, isAllowed(host) else { throw .host(host) }
    }

    /// Returns whether an origin has this host and port. A port that is left out is the default of the origin's scheme.
    private static func origin(_ text: String, isAt host: Authority?) -> Bool {
        let text = text.lowercased()
        let schemes: [(prefix: String, defaultPort: UInt16)] = [("http://", 80), ("https://", 443)]
        guard let scheme = schemes.first(where: { text.hasPrefix($0.prefix) }), let host,
            let origin = Authority(String(text.dropFirst(scheme.prefix.count)))
        else { return false }
        return origin.host == host.host
            && (origin.port ?? scheme.defaultPort) == (host.port ?? scheme.defaultPort)
    }

    private func isAllowed(_ host: Authority) -> Bool {
        if host.isLoopback { return true }
        // The scheme of a host without a port isn't known, because a proxy may end TLS.
        let ports: [UInt16?] = host.port.map { [nil, $0] } ?? [nil, 80, 443]
        return ports.contains { allowedHosts.contains(Authority(host: host.host, port: $0)) }
    }
}
#endif
