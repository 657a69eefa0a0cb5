public import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
public import AppReceiptTesting
import AppStoreServerAPI

/// A fake of Apple's server for the App Store Server API, for tests of back ends.
///
/// ```swift
/// let store = FakeAppStoreServer(bundleIdentifier: "com.example.app")
/// store.add(TestTransaction("com.example.pro", transaction: "1"))
/// ```
///
/// The fake is the transport of a client in the same process, without sockets or waiting. `appreceipt store fake`
/// serves it over HTTP. The address of a request names the environment: a host whose name contains `sandbox`, or a path
/// below `/sandbox`, is the sandbox, and every other address is production.
///
/// The fake checks the token of every request as strictly as Apple does; ``key`` signs valid ones. Its responses are
/// signed by `TestPKI.signedData` at the time of the request, so only verifiers that are configured with that root
/// accept them.
///
/// The documentation of each endpoint's rules is Apple's. The fake has no Advanced Commerce and Retention Messaging.
/// Groups and seats are in the sandbox only, and their errors without a published number are `GeneralBadRequest`.
@available(AppStoreServerAPI 1.0, *)
public final class FakeAppStoreServer: Sendable {
    /// The app with which the fake was created.
    public let bundleIdentifier: String
    /// The App Store identifier of that app.
    public let appAppleIdentifier: UInt64
    /// The key that signs valid tokens.
    public let key: TestAppStoreServerKey
    /// The certificates that sign responses.
    public let pki: TestPKI
    let now: @Sendable () -> Date
    let paginationTokenLifetime: TimeInterval
    let state = LockedValueBox(State())

    /// Creates a fake with one app and without customers.
    ///
    /// - Parameters:
    ///   - bundleIdentifier: The app.
    ///   - appAppleIdentifier: The app's App Store identifier, which data of production contains.
    ///   - key: The key that signs valid tokens.
    ///   - pki: The certificates that sign responses.
    ///   - paginationTokenLifetime: How long pagination tokens of the notification history are valid, in seconds.
    ///   - now: The clock. Clients need the same one, because their tokens expire. Certificates of `TestPKI.signedData`
    ///     are valid from 2022 to 2032.
    public init(
        bundleIdentifier: String, appAppleIdentifier: UInt64 = 1_234_567_890, key: TestAppStoreServerKey = .standard,
        pki: TestPKI = .signedData, paginationTokenLifetime: TimeInterval = 3600,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.bundleIdentifier = bundleIdentifier
        self.appAppleIdentifier = appAppleIdentifier
        self.key = key
        self.pki = pki
        self.now = now
        self.paginationTokenLifetime = paginationTokenLifetime
        addApp(bundleIdentifier, appAppleIdentifier: appAppleIdentifier)
    }

    /// The requests that the fake received, in their order: the last 5,000 at least.
    public var requests: [ReceivedRequest] { state.withLock { $0.requests } }

    /// Injects a fault into the next requests. Faults are used in the order in which they were injected, one for each
    /// request.
    ///
    /// - Parameters:
    ///   - fault: The fault.
    ///   - endpoint: The endpoint; nil for all.
    ///   - environment: The environment; nil for both.
    ///   - skipping: The number of requests that succeed before.
    ///   - times: The number of requests that fail; nil for all.
    public func inject(
        _ fault: Fault, at endpoint: Endpoint? = nil, in environment: Environment? = nil, skipping: Int = 0,
        times: Int? = 1
    ) {
        guard times.map({ $0 > 0 }) ?? true else { return }
        state.withLock {
            $0.faults.append(
                State.QueuedFault(
                    fault: fault, endpoint: endpoint, environment: environment, skipping: max(0, skipping),
                    remaining: times))
        }
    }

    /// Removes the faults that weren't used.
    public func removeFaults() { state.withLock { $0.faults.removeAll() } }
}
