#if Server
public import AppReceiptKit
public import VerifyReceipt

/// What a server trusts, whom it answers and how much it takes upon itself.
public struct ServerConfiguration: Sendable {
    /// The address to listen on. Default: loopback, so that nobody else reaches it before somebody says so.
    public var host = "127.0.0.1"
    /// The port to listen on; 0 lets the system choose one.
    public var port = 8080
    /// The hosts under which browsers may use the server, besides loopback names, each with or without a port:
    /// `receipts.example.com`, `192.0.2.7:8080`, `[2001:db8::7]`. An entry that isn't a host allows nothing. Requests that
    /// no browser sent don't depend on it. Default: none.
    public var allowedHosts: Set<String> = []

    /// The roots to trust. Default: Apple's.
    public var anchors: TrustAnchors = .apple
    /// Certificates of Xcode's local testing to trust, for tests. Default: none.
    public var xcode: XcodeTrust = .disabled
    /// The intermediates of receipts from before iOS 7. Default: none, they get 21003.
    public var transactionReceipts: TransactionReceiptTrust = .disabled

    /// The apps that are served; empty for any app.
    public var bundleIdentifiers: Set<String> = []
    /// The environments that are served.
    public var environments: Set<ReceiptEnvironment.Base> = [.production, .sandbox]
    /// The app's number in the App Store, which production's notifications and app transactions name; for a server of one
    /// app. Default: not compared.
    public var appAppleIdentifier: UInt64?
    /// Whether `/verifyReceipt` answers sandbox receipts itself, if both environments are served. Default: it gets 21007
    /// for them as Apple's does, and `/sandbox/verifyReceipt` answers them.
    public var answersBothEnvironments = false

    /// What `password` must be in every verifyReceipt request. Default: not asked for.
    public var sharedSecret: SharedSecret?
    /// What requests to `/v1` must bear, notifications excepted: their signature is their proof. Default: not asked for.
    public var bearerToken: SharedSecret?
    /// Whether the page at `/` is served.
    public var servesInspector = true

    /// The file of the database; nil keeps the state in memory, and it is gone with the process.
    public var database: String?

    /// How much the server takes upon itself.
    public var limits = ServerLimits()

    /// The configuration of a server that needs no set-up.
    public init() {}

    /// The environments of `/verifyReceipt`: never one that is not served; nil if neither is, and then there is no such
    /// path.
    var verifyReceiptEnvironments: VerifyReceiptResponder.Environments? {
        switch (environments.contains(.production), environments.contains(.sandbox)) {
        case (true, true): answersBothEnvironments ? .both : .production
        case (true, false): .production
        case (false, true): .sandbox
        case (false, false): nil
        }
    }

    /// Whose receipts are answered.
    var answeredBundles: VerifyReceiptResponder.BundleIdentifiers {
        bundleIdentifiers.isEmpty ? .anyBundle : .only(bundleIdentifiers)
    }
}
#endif
