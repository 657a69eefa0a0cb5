#if Server
public import AppReceiptKit
public import AppReceiptStore
import AppReceiptSupport
import AppStoreSignedData
public import VerifyReceipt

/// The configuration of a server: its trusted roots, apps, tokens and limits.
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

    /// The origins of pages that may send requests to `/v1/validator`, such as the web views of Cordova apps:
    /// `https://app.example.com`, `ionic://localhost`, `null` for pages from files, `*` for every page. An entry that
    /// isn't an origin allows nothing. Default: none.
    public var allowedOrigins: Set<String> = []

    /// The roots to trust. Default: Apple's.
    public var anchors: TrustAnchors = .apple
    /// The certificates of Xcode's local testing to trust, for tests. Default: none.
    public var xcode: XcodeTrust = .disabled
    /// The intermediates of transaction receipts. Default: Apple's.
    public var transactionReceipts: TransactionReceiptTrust = .apple

    /// The apps that are served. Empty serves every app. Default: empty.
    public var apps: [AppConfiguration] = []
    /// The environments that are served, unless an app has its own. Default: production and sandbox.
    public var environments: Set<AppStoreEnvironment> = [.production, .sandbox]
    /// Whether `/verifyReceipt` validates sandbox receipts too, if both environments are served. Default: false, so
    /// they get 21007 as from Apple, and only `/sandbox/verifyReceipt` validates them.
    public var acceptsBothEnvironments = false

    /// The subscriptions for which responses of `/verifyReceipt` contain an element of `pending_renewal_info`. Default:
    /// those with signed renewal information.
    public var renewalInfo = VerifyReceiptResponder.RenewalInfo.known

    /// Whether `/verifyReceipt` also answers signed transactions of StoreKit 2, and receipts and tokens among other
    /// JSON, as clients of StoreKit 2 send them. Default: false, so they get 21002 as from Apple.
    public var acceptsSignedTransactions = false

    /// The `password` that verifyReceipt requests must contain, unless their app has its own. Default: none.
    public var sharedSecret: SharedSecret?
    /// The tokens of which requests to `/v1` must contain one, except notifications, which are signed. Default: none,
    /// which accepts every request.
    public var tokens: [AccessToken] = []
    /// The hosts to which webhooks may be sent although they have no public address, or with `http`. Default: none.
    public var allowedWebhookHosts: Set<String> = []
    /// Whether the web inspector at `/` is served. Default: true.
    public var servesInspector = true
    /// Whether the server has `/v1/validator`, which requires neither a token nor a secret.
    public var servesValidator = true

    /// The requests to the App Store Server API about purchases with missing evidence. Default: nil, which sends no
    /// requests.
    public var appStore: AppStoreConfiguration?

    /// Whether accounts are stored as keyed hashes instead of the names that the back end sends. Default: false.
    public var hashesAccounts = false

    /// The export of traces. Default: nil, which records none.
    public var tracing: TracingConfiguration?

    /// The place of the database. Default: nil, which keeps the state in memory until the process ends.
    public var database: DatabaseLocation?

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
        guard let database else {
            return try SQLiteStore(
                path: nil, receipts: receipts, signedData: signedData, hashesAccounts: hashesAccounts)
        }
        return try database.open(receipts: receipts, signedData: signedData, hashesAccounts: hashesAccounts)
    }

    /// The bundle identifiers of the apps that are served. Setting it keeps what is particular about an app.
    public var bundleIdentifiers: Set<String> {
        get { Set(apps.map(\.bundleIdentifier)) }
        set { apps = newValue.sorted().map { app(named: $0) ?? AppConfiguration(bundleIdentifier: $0) } }
    }

    /// Returns the configuration of an app, compared byte by byte; nil if it has none.
    func app(named bundleIdentifier: String?) -> AppConfiguration? {
        bundleIdentifier.flatMap { apps.app(named: $0) }
    }

    /// Returns the environments in which an app is served.
    func environments(of bundleIdentifier: String?) -> Set<AppStoreEnvironment> {
        app(named: bundleIdentifier)?.environments ?? environments
    }

    /// The environments in which any app is served.
    var servedEnvironments: Set<AppStoreEnvironment> {
        apps.isEmpty ? environments : apps.reduce(into: []) { $0.formUnion($1.environments ?? environments) }
    }

    /// The environments of `/verifyReceipt`, all of which are served; nil if the server doesn't have that path.
    package var verifyReceiptEnvironments: VerifyReceiptResponder.Environments? {
        switch (servedEnvironments.contains(.production), servedEnvironments.contains(.sandbox)) {
        case (true, true): acceptsBothEnvironments ? .both : .production
        case (true, false): .production
        case (false, true): .sandbox
        case (false, false): nil
        }
    }

    /// The apps of verifyReceipt.
    var acceptedBundleIdentifiers: AcceptedValues<String> {
        apps.isEmpty ? .anyBundle : .only(apps.map(\.bundleIdentifier))
    }

    /// The apps of verifyReceipt, with their shared secrets.
    var verifyReceiptApps: [VerifyReceiptResponder.App] {
        apps.map {
            VerifyReceiptResponder.App(
                bundleIdentifier: $0.bundleIdentifier, sharedSecrets: $0.sharedSecrets, environments: $0.environments)
        }
    }
}
#endif
