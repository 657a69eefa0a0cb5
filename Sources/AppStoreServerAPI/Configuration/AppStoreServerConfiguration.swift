public import AppReceiptFoundation

/// The settings of an ``AppStoreServerClient``. The defaults suit most back ends.
@available(AppStoreServerAPI 1.0, *)
public struct AppStoreServerConfiguration: Sendable {
    /// The addresses of the App Store's server. Default: Apple's.
    public var endpoints = Endpoints.apple
    /// The header `User-Agent`.
    public var userAgent = "AppReceiptKit"
    /// The time in which the response to one request must be complete.
    public var requestTimeout: Duration = .seconds(30)
    /// The time in which a call must end, with all its attempts and waits, in every environment. Each page is one call.
    public var callTimeout: Duration = .seconds(180)
    /// The maximum size of a response in bytes.
    public var maxResponseBytes = 4 << 20
    /// The maximum number of pages of a list that are read.
    public var maxPages = 1000
    /// The policy for repeating failed requests.
    public var retryPolicy = AppStoreServerRetryPolicy()
    /// The part of Apple's limits of requests that a client uses, more than 0 and at most 1.
    public var rateLimitShare = 0.9
    /// The source of time.
    public var clock = AppStoreServerClock.system
    /// Returns a random number from 0 to 1.
    package var random: @Sendable () -> Double = { Double.random(in: 0...1) }

    /// Creates the default settings.
    public init() {}

    /// The addresses of the App Store's server, without a path of the API.
    ///
    /// They must begin with `https://`, or name this computer, because every request contains the authorization.
    public struct Endpoints: Sendable, Hashable {
        /// The address of production.
        public var production: URL
        /// The address of the sandbox.
        public var sandbox: URL

        /// Creates addresses.
        ///
        /// - Parameters:
        ///   - production: The address of production.
        ///   - sandbox: The address of the sandbox. Default: that of production, so that a client with the address of a
        ///     proxy or a fake never sends requests elsewhere.
        public init(production: URL, sandbox: URL? = nil) {
            self.production = production
            self.sandbox = sandbox ?? production
        }

        /// Apple's addresses.
        public static let apple: Endpoints = {
            guard let production = URL(string: "https://api.storekit.apple.com"),
                let sandbox = URL(string: "https://api.storekit-sandbox.apple.com")
            else { preconditionFailure("Apple's addresses are malformed.") }
            return Endpoints(production: production, sandbox: sandbox)
        }()
    }
}

/// The source of time of a client. A test replaces it, so that nothing waits.
@available(AppStoreServerAPI 1.0, *)
public struct AppStoreServerClock: Sendable {
    /// Returns the current time.
    public var now: @Sendable () -> Date
    /// Waits. Throws `CancellationError` if the task is canceled.
    public var sleep: @Sendable (Duration) async throws -> Void

    /// Creates a clock.
    public init(now: @escaping @Sendable () -> Date, sleep: @escaping @Sendable (Duration) async throws -> Void) {
        self.now = now
        self.sleep = sleep
    }

    /// The system's clock.
    public static let system = AppStoreServerClock(now: { Date() }, sleep: { try await Task.sleep(for: $0) })
}
