#if Server
import AppReceiptKit
import AppStoreSignedData
import VerifyReceipt

/// What the routes share: the configuration, the verifiers, the store, metrics and admission.
@available(AppReceiptServer 1.0, *)
struct ReceiptService: Sendable {
    let configuration: ServerConfiguration
    let receipts: ReceiptVerifier
    let signedData: SignedDataVerifier
    let store: TransactionStore
    let metrics: ServerMetrics
    let admission: Admission

    /// Opens the database.
    ///
    /// - Throws: `StoreError` if the database can't be opened.
    init(_ configuration: ServerConfiguration, metrics: ServerMetrics) throws(StoreError) {
        self.configuration = configuration
        self.metrics = metrics
        receipts = ReceiptVerifier(anchors: configuration.anchors, xcode: configuration.xcode)
        signedData = SignedDataVerifier(anchors: configuration.anchors, xcode: configuration.xcode)
        store = try TransactionStore(path: configuration.database, receipts: receipts, signedData: signedData)
        admission = Admission(limits: configuration.limits, metrics: metrics)
    }
}
#endif
