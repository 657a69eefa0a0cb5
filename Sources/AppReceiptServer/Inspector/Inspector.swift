#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppStoreSignedData

/// Examines the input of the inspector's page: receipts, signed data, and requests that contain them.
///
/// The response is one JSON document with everything the page shows: the verdict, every check with its evidence, the
/// certificates, the customer's products, the contents, the subscriptions, and the response of verifyReceipt.
/// `isProven` states whether the signature is valid. Samples are verified under a root that is trusted for nothing else
/// (`trust`).
struct Inspector: Sendable {
    /// The origin of the roots under which the input is verified.
    enum Trust: String {
        /// Apple's roots.
        case apple
        /// Roots that replace Apple's in the configuration.
        case configured
        /// The root of the samples.
        case sample
    }

    private let receipts: ReceiptVerifier
    private let signedData: SignedDataVerifier
    private let bundleIdentifiers: Set<String>
    private let environments: Set<AppStoreEnvironment>
    private let roots: TrustedRoots

    /// - Parameters:
    ///   - receipts: The verifier of receipts. `trust` is `apple` if its roots are Apple's.
    ///   - signedData: The verifier of signed data, with the same roots.
    ///   - bundleIdentifiers: The apps that the server serves. They aren't compared. The page warns if a receipt is for
    ///     another app and the request doesn't specify one.
    ///   - environments: The environments that the server serves, which aren't compared either.
    init(
        receipts: ReceiptVerifier = ReceiptVerifier(), signedData: SignedDataVerifier = SignedDataVerifier(),
        bundleIdentifiers: Set<String> = [], environments: Set<AppStoreEnvironment> = []
    ) {
        self.receipts = receipts
        self.signedData = signedData
        self.bundleIdentifiers = bundleIdentifiers
        self.environments = environments
        roots = TrustedRoots(receipts.anchors)
    }

    /// Examines the input of a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - now: The time at which expiration is checked, and which the page shows as now.
    /// - Throws: An error if the document can't be encoded.
    func examine(_ request: InspectorRequest, now: Date = Date()) throws -> InspectorResponse {
        switch request.source {
        case .bytes(let bytes):
            let isApple = receipts.anchors.certificates == TrustAnchors.apple.certificates
            return try Inspection(
                receipts: receipts, signedData: signedData,
                trust: isApple ? .apple : .configured, roots: roots, served: bundleIdentifiers.sorted(),
                servedEnvironments: environments.map(\.rawValue).sorted(), request: request, now: now
            ).response(to: bytes, fileName: nil)
        case .sample(let sample):
            return try Inspection(
                receipts: InspectorSample.receipts, signedData: InspectorSample.signedData,
                trust: .sample, roots: InspectorSample.roots, served: [], servedEnvironments: [],
                request: request, now: now
            ).response(to: sample.bytes, fileName: sample.fileName)
        }
    }
}

/// The document for an input.
struct InspectorResponse: Sendable {
    /// The document. It contains the contents of a customer's receipt and must not be logged.
    let document: JSONDocument
    /// The code of the first failed check, or nil if the input is valid. For logs and metrics.
    let code: String?
}
#endif
