#if Server
import AppReceiptKit
import AppReceiptStore
import AppStoreServerAPI
import AppStoreSignedData
import Logging
import VerifyReceipt

/// The parts that the routes share: the configuration, the verifiers, the store, metrics and admission.
@available(AppReceiptServer 1.0, *)
final class ReceiptService: Sendable {
    let configuration: ServerConfiguration
    let receipts: ReceiptVerifier
    let signedData: SignedDataVerifier
    let store: any EvidenceStore
    let metrics: ServerMetrics
    let tracing: ServerTracing
    let admission: Admission
    /// The server's own logger, for what no request is about.
    let logger: Logger
    let databaseFailures: DatabaseFailureLog
    /// The log of rejections, of all routes and reloaded configurations.
    let rejections: RejectionLog
    /// The clients of the App Store; nil if no request is sent to it.
    let clients: AppStoreClients?
    /// Completes the store; nil if no request is sent to the App Store.
    let completion: AppStoreCompletion?
    /// Reads missed notifications; nil if no request is sent to the App Store.
    let catchUp: NotificationCatchUp?

    /// Opens the database.
    ///
    /// - Throws: `StoreError` if the database can't be opened.
    convenience init(
        _ configuration: ServerConfiguration, metrics: ServerMetrics, tracing: ServerTracing = ServerTracing(),
        logger: Logger
    ) throws(StoreError) {
        let (receipts, signedData) = Self.verifiers(configuration)
        let store = try configuration.openStore(receipts: receipts, signedData: signedData)
        Self.log(untrustedPurchases: store.untrustedOriginals.count, to: logger)
        self.init(
            configuration, receipts: receipts, signedData: signedData, store: store, metrics: metrics,
            tracing: tracing, admission: Admission(limits: configuration.limits, metrics: metrics),
            rejections: RejectionLog(), logger: logger)
    }

    /// Checks the database as opening it does, and logs the same, without creating or changing a file.
    ///
    /// - Throws: `StoreError` if the database can't be opened.
    static func checkDatabase(of configuration: ServerConfiguration, logger: Logger) throws(StoreError) {
        guard let database = configuration.database else { return }
        let (receipts, signedData) = verifiers(configuration)
        let untrusted = try database.check(receipts: receipts, signedData: signedData)
        log(untrustedPurchases: untrusted, to: logger)
    }

    private static func verifiers(_ configuration: ServerConfiguration) -> (ReceiptVerifier, SignedDataVerifier) {
        (
            ReceiptVerifier(
                anchors: configuration.anchors, xcode: configuration.xcode,
                transactionReceipts: configuration.transactionReceipts),
            SignedDataVerifier(anchors: configuration.anchors, xcode: configuration.xcode)
        )
    }

    private static func log(untrustedPurchases count: Int, to logger: Logger) {
        guard count > 0 else { return }
        logger.warning(
            "Stored refunds of roots that aren't trusted any more make their purchases unavailable",
            metadata: [
                "purchases": "\(count)",
                "remedy":
                    "Trust the root again, or delete the purchases. GET /readyz with the server's token names them.",
            ])
    }

    /// Replaces a service by one of another configuration, with the same verifiers, database and limits.
    convenience init(_ configuration: ServerConfiguration, replacing other: ReceiptService, logger: Logger) {
        self.init(
            configuration, receipts: other.receipts, signedData: other.signedData, store: other.store,
            metrics: other.metrics, tracing: other.tracing, admission: other.admission, rejections: other.rejections,
            logger: logger)
    }

    private init(
        _ configuration: ServerConfiguration, receipts: ReceiptVerifier, signedData: SignedDataVerifier,
        store: any EvidenceStore, metrics: ServerMetrics, tracing: ServerTracing, admission: Admission,
        rejections: RejectionLog, logger: Logger
    ) {
        self.configuration = configuration
        self.receipts = receipts
        self.signedData = signedData
        self.store = store
        self.metrics = metrics
        self.tracing = tracing
        self.admission = admission
        self.rejections = rejections
        self.logger = logger
        databaseFailures = DatabaseFailureLog(count: metrics.countDatabaseFailure)
        guard let appStore = configuration.appStore else {
            (self.clients, completion, catchUp) = (nil, nil, nil)
            return
        }
        let clients = AppStoreClients(
            appStore, verifier: signedData, apps: configuration.apps, tracing: tracing)
        self.clients = clients
        completion = AppStoreCompletion(
            appStore, clients: clients, store: store, metrics: metrics, databaseFailures: databaseFailures,
            logger: logger)
        catchUp = NotificationCatchUp(
            clients: clients, store: store, apps: configuration.apps, environments: configuration.environments,
            clock: appStore.client.clock,
            metrics: metrics, databaseFailures: databaseFailures, logger: logger)
    }
}
#endif
