package import AppReceiptFoundation
import AppReceiptKit

/// The address of the App Store's server in one environment.
@available(AppStoreServerAPI 1.0, *)
struct BaseURL: Sendable, Hashable {
    /// The address without a slash at its end.
    let text: String
    /// The host and the port, for messages.
    let server: String

    /// Validates an address.
    ///
    /// Only this computer may be addressed without TLS, because every request contains the authorization.
    init(_ text: String, for environment: AppStoreEnvironment) throws(AppStoreServerError) {
        var trimmed = Substring(text)
        while trimmed.hasSuffix("/") { trimmed.removeLast() }
        let isPlain =
            trimmed.utf8.allSatisfy { (0x21..<0x7F).contains($0) } && !trimmed.contains { "?#@\\\"<>".contains($0) }
        guard isPlain, let scheme = ["https://", "http://"].first(where: { trimmed.lowercased().hasPrefix($0) }) else {
            throw Self.invalid(environment)
        }
        let authority = trimmed.dropFirst(scheme.count).prefix { $0 != "/" }
        guard let (host, port) = Self.server(of: authority), scheme == "https://" || Self.isThisComputer(host) else {
            throw Self.invalid(environment)
        }
        self.text = String(trimmed)
        server = "\(host), port \(port ?? (scheme == "https://" ? 443 : 80))"
    }

    init(_ url: URL, for environment: AppStoreEnvironment) throws(AppStoreServerError) {
        try self.init(url.absoluteString, for: environment)
    }

    /// Returns the host and the port, or nil if the authority is malformed.
    private static func server(of authority: Substring) -> (host: String, port: UInt16?)? {
        var host = authority
        var port: Substring?
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            host = authority[...end]
            let rest = authority[authority.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
            port = rest.isEmpty ? nil : rest.dropFirst()
        } else if let colon = authority.firstIndex(of: ":") {
            host = authority[..<colon]
            port = authority[authority.index(after: colon)...]
        }
        let number = port.flatMap { UInt16($0) }
        guard (number == nil) == (port == nil), !host.isEmpty else { return nil }
        return (host.lowercased(), number)
    }

    private static func isThisComputer(_ host: String) -> Bool {
        host == "localhost" || host == "127.0.0.1" || host == "[::1]"
    }

    fileprivate static func invalid(_ environment: AppStoreEnvironment) -> AppStoreServerError {
        AppStoreServerError(
            .configurationInvalid,
            message:
                "The URL for \(environment.rawValue) must be https://HOST or, on this computer only, http://localhost:PORT, without query."
        )
    }
}

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerConfiguration.Endpoints {
    /// Returns the address in a text.
    ///
    /// - Throws: An error with the code `configuration-invalid`.
    package static func address(
        _ text: String, for environment: AppStoreEnvironment
    ) throws(AppStoreServerError) -> URL {
        let base = try BaseURL(text, for: environment)
        guard let url = URL(string: base.text) else { throw BaseURL.invalid(environment) }
        return url
    }
}
