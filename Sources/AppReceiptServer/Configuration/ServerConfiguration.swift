#if Server
public import AppReceiptKit
import AppReceiptStore
import AppStoreSignedData
public import VerifyReceipt

/// What a server trusts, which apps it serves, and its limits.
@available(AppReceiptServer 1.0, *)
public struct ServerConfiguration: Sendable {
    /// The address to listen on. Default: loopback, which other machines can't reach.
    public var host = "127.0.0.1"
    /// The port to listen on; 0 lets the system choose one.
    public var port = 8080
    /// The hosts under which browsers may use the server, besides loopback names, each with or without a port:
    /// `receipts.example.com`, `192.0.2.7:8080`, `[2001:db8::7]`. An entry that isn't a host allows nothing. Requests
    /// of programs that aren't browsers don't depend on it. Default: none.
    public var allowedHosts: Set<String> = []

    /// The roots to trust. Default: Apple's.
    public var anchors: TrustAnchors = .apple
    /// The certificates of Xcode's local testing to trust, for tests. Default: none.
    public var xcode: XcodeTrust = .disabled
    /// The intermediates of transaction receipts. Default: Apple's.
    public var transactionReceipts: TransactionReceiptTrust = .apple

    /// The bundle identifiers to accept. Empty accepts every app. Default: empty.
    public var bundleIdentifiers: Set<String> = []
    /// The environments that are served. Default: production and sandbox.
    public var environments: Set<AppStoreEnvironment> = [.production, .sandbox]
    /// The app's identifier in the App Store, which notifications and app transactions of production contain. Set it on
    /// a server of one app. Default: not compared.
    public var appAppleIdentifier: UInt64?
    /// Whether `/verifyReceipt` validates sandbox receipts too, if both environments are served. Default: false, so
    /// they get 21007 as from Apple, and only `/sandbox/verifyReceipt` validates them.
    public var acceptsBothEnvironments = false

    /// The subscriptions for which responses of `/verifyReceipt` contain an element of `pending_renewal_info`. Default:
    /// those with signed renewal information.
    public var renewalInfo = VerifyReceiptResponder.RenewalInfo.known

    /// The `password` that every verifyReceipt request must contain. Default: none.
    public var sharedSecret: SharedSecret?
    /// The tokens of which requests to `/v1` must contain one, except notifications, which are signed. Default: none,
    /// which accepts every request.
    public var tokens: [AccessToken] = []
    /// Whether the web inspector at `/` is served. Default: true.
    public var servesInspector = true

    /// How missing evidence about purchases is requested from the App Store Server API. Default: nil, which sends no
    /// requests.
    public var appStore: AppStoreConfiguration?

    /// Whether accounts are stored as keyed hashes instead of the names that the back end sends. Default: false.
    public var hashesAccounts = false

    /// The path of the database. Default: nil, which keeps the state in memory until the process ends.
    public var database: String?

    /// The version of the program, which metrics contain. Default: unknown.
    public var version = "unknown"

    /// The limits.
    public var limits = ServerLimits()

    /// Creates the default configuration.
    public init() {}

    /// Opens the store of the evidence.
    func openStore(
        receipts: ReceiptVerifier, signedData: SignedDataVerifier
    ) throws(StoreError) -> any EvidenceStore {
        try SQLiteStore(
            path: database, receipts: receipts, signedData: signedData, hashesAccounts: hashesAccounts)
    }

    /// The environments of `/verifyReceipt`, all of which are served; nil if the server doesn't have that path.
    var verifyReceiptEnvironments: VerifyReceiptResponder.Environments? {
        switch (environments.contains(.production), environments.contains(.sandbox)) {
        case (true, true): acceptsBothEnvironments ? .both : .production
        case (true, false): .production
        case (false, true): .sandbox
        case (false, false): nil
        }
    }

    /// The apps of verifyReceipt.
    var acceptedBundleIdentifiers: AcceptedValues<String> {
        bundleIdentifiers.isEmpty ? .anyBundle : .only(bundleIdentifiers)
    }
}
#endif
