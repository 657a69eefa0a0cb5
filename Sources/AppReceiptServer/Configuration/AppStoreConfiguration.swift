#if Server
public import AppStoreServerAPI

/// The requests to the App Store Server API about the purchases that a server doesn't know completely.
@available(AppReceiptServer 1.0, *)
public struct AppStoreConfiguration: Sendable {
    /// The In-App Purchase key of the apps' team; nil if only some apps have keys of their own.
    public var key: AppStoreServerKey?
    /// Sends the requests.
    public var transport: any AppStoreServerTransport
    /// The settings of the client: addresses, time limits, repetitions.
    public var client: AppStoreServerConfiguration
    /// The time after which the requests about a purchase are repeated. Default: a day.
    public var refreshInterval = Duration.seconds(86_400)
    /// The longest time that a response waits for the App Store. What arrives later is in the next response. Default:
    /// two seconds.
    public var patience = Duration.seconds(2)

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - key: The In-App Purchase key of the apps' team.
    ///   - transport: Sends the requests. Default: async-http-client.
    ///   - client: The settings of the client.
    public init(
        key: AppStoreServerKey?,
        transport: any AppStoreServerTransport = AppStoreServerClient.AsyncHTTPClientTransport(),
        client: AppStoreServerConfiguration = AppStoreServerConfiguration()
    ) {
        self.key = key
        self.transport = transport
        self.client = client
    }
}
#endif
