/// The settings of an ``AppStoreServerClient``. The defaults suit most back ends.
@available(AppStoreServerAPI 1.0, *)
public struct AppStoreServerConfiguration: Sendable {
    /// The address of production, without a path of the API. It must begin with `https://`, or name this computer. Default: Apple's.
    public var productionURL: String?
    /// The address of the sandbox, without a path of the API. It must begin with `https://`, or name this computer.
    ///
    /// Default: ``productionURL``, so that a client with the address of a proxy or a fake never sends requests elsewhere. If that is nil
    /// too, Apple's.
    public var sandboxURL: String?
    /// The header `User-Agent`.
    public var userAgent = "AppReceiptKit"
    /// The time in which the response to one request must be complete.
    public var requestTimeout: Duration = .seconds(30)
    /// The time in which a call must end, with all its attempts and waits, in every environment. Each page is one call.
    public var callTimeout: Duration = .seconds(180)
    /// The maximum size of a response in bytes.
    public var maxResponseBytes = 4 << 20
    /// How many pages of a list are read at most.
    public var maxPages = 1000
    /// When failed requests are repeated.
    public var retryPolicy = AppStoreServerRetryPolicy()
    /// The part of Apple's limits of requests that a client uses, more than 0 and at most 1.
    public var rateLimitShare = 0.9
    /// The source of time.
    public var clock = AppStoreServerClock.system
    /// Returns a random number from 0 to 1.
    package var random: @Sendable () -> Double = { Double.random(in: 0...1) }

    /// Creates the default settings.
    public init() {}
}
