#if Server
import AppReceiptFoundation

/// The export of traces to a collector of OpenTelemetry.
public struct TracingConfiguration: Sendable, Hashable {
    /// The address of the collector's OTLP/HTTP receiver, without `/v1/traces`.
    public let endpoint: String
    /// The share of the traces that are recorded, from 0 to 1. A request whose client decided is recorded if the client
    /// recorded it.
    public let sampleRatio: Double

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - endpoint: An address with `http` or `https`, without a password, query or fragment:
    ///     `http://collector.example.com:4318`.
    ///   - sampleRatio: The share of the traces that are recorded. Default: all.
    /// - Returns: Nil if the address has another form, or the share isn't from 0 to 1.
    public init?(endpoint: String, sampleRatio: Double = 1) {
        guard let url = URL(string: endpoint), ["http", "https"].contains(url.scheme), url.host?.isEmpty == false,
            url.user == nil, url.password == nil, url.query == nil, url.fragment == nil,
            (0...1).contains(sampleRatio)
        else { return nil }
        self.endpoint = endpoint
        self.sampleRatio = sampleRatio
    }

    /// The address that receives spans.
    var tracesAddress: String { endpoint + (endpoint.hasSuffix("/") ? "" : "/") + "v1/traces" }
}
#endif
