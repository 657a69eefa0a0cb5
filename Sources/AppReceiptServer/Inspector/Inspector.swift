#if Server
public import AppReceiptKit
public import AppStoreSignedData
public import VerifyReceipt

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Examines what somebody puts before the web page: receipts, signed data, and the requests in which they come.
///
/// It answers one JSON document with everything the page shows: the verdict and every check, the certificates, what the
/// bytes say, the subscriptions in time, the answer that verifyReceipt would give. What was not proven is marked as such in
/// the document (`isProven`), and samples are verified with a root that counts for nothing else (`trust`).
///
/// A value without state: make one, share it. It does no input or output.
public struct Inspector: Sendable {
    /// The most bytes of an input, before the page's base64. Default: 4 MiB, about 10,000 purchases.
    public let maximumInputBytes: Int

    /// The most bytes of a request that are worth reading.
    public var maximumBodyBytes: Int { maximumInputBytes / 3 * 4 + (64 << 10) }

    private let receipts: ReceiptVerifier
    private let signedData: SignedDataVerifier
    private let transactionReceipts: TransactionReceiptTrust
    private let bundleIdentifiers: Set<String>
    private let environments: Set<ReceiptEnvironment.Base>
    private let isApple: Bool

    /// - Parameters:
    ///   - receipts: verifies receipts. If its roots are Apple's, the document says that Apple signed.
    ///   - signedData: verifies signed data; with the same roots.
    ///   - transactionReceipts: the intermediates of receipts from before iOS 7. Default: none, they are only described.
    ///   - maximumInputBytes: the most bytes of an input.
    ///   - bundleIdentifiers: the apps that the server serves. Nothing is compared with them: the page says it if a receipt
    ///     is of another app and nobody named one to compare with. Default: none, so that nothing is said.
    ///   - environments: the environments that the server serves; likewise.
    public init(
        receipts: ReceiptVerifier = ReceiptVerifier(), signedData: SignedDataVerifier = SignedDataVerifier(),
        transactionReceipts: TransactionReceiptTrust = .disabled, maximumInputBytes: Int = 4 << 20,
        bundleIdentifiers: Set<String> = [], environments: Set<ReceiptEnvironment.Base> = []
    ) {
        self.receipts = receipts
        self.signedData = signedData
        self.transactionReceipts = transactionReceipts
        self.maximumInputBytes = maximumInputBytes
        self.bundleIdentifiers = bundleIdentifiers
        self.environments = environments
        isApple = receipts.anchors.certificates == TrustAnchors.apple.certificates
    }

    /// The answer to a request of the page.
    ///
    /// - Parameters:
    ///   - body: JSON, as the page writes it.
    ///   - now: when expiration is judged, and what the page shows as now.
    public func answer(to body: ArraySlice<UInt8>, now: Date = Date()) -> InspectorResponse {
        guard body.count <= maximumBodyBytes else { return InspectorResponse(refusing: .tooLarge(maximumInputBytes)) }
        do throws(InspectorRequest.Fault) {
            return document(for: try InspectorRequest(parsing: body, maximumInputBytes: maximumInputBytes), now: now)
        } catch {
            return InspectorResponse(refusing: error)
        }
    }

    private func document(for request: InspectorRequest, now: Date) -> InspectorResponse {
        switch request.source {
        case .bytes(let bytes):
            Examiner(
                receipts: receipts, signedData: signedData, transactionReceipts: transactionReceipts,
                trust: isApple ? .apple : .configured, served: bundleIdentifiers.sorted(),
                servedEnvironments: environments.map(\.rawValue).sorted(), request: request, now: now
            ).answer(to: bytes, name: request.name)
        case .sample(let sample):
            Examiner(
                receipts: InspectorSample.receipts, signedData: InspectorSample.signedData,
                transactionReceipts: .disabled, trust: .sample, served: [], servedEnvironments: [],
                request: request, now: now
            ).answer(to: sample.bytes, name: sample.fileName)
        }
    }

    /// Whose root decides.
    enum Trust: String {
        /// Apple's.
        case apple
        /// Those with which the server was started in place of Apple's.
        case configured
        /// The samples' own.
        case sample
    }
}
#endif
