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
    private let roots: TrustedRoots

    /// - Parameters:
    ///   - receipts: The verifier of receipts. `trust` is `apple` if its roots are Apple's.
    ///   - signedData: The verifier of signed data, with the same roots.
    init(receipts: ReceiptVerifier = ReceiptVerifier(), signedData: SignedDataVerifier = SignedDataVerifier()) {
        self.receipts = receipts
        self.signedData = signedData
        roots = TrustedRoots(receipts.anchors)
    }

    /// Reads an input.
    ///
    /// - Parameters:
    ///   - bytes: The input.
    ///   - index: The position of the receipt or token in it that is examined.
    func input(_ bytes: [UInt8], item index: Int = 0) -> InspectorInput {
        InspectorInput(bytes, item: index, limits: receipts.limits)
    }

    /// Examines an input.
    ///
    /// - Parameters:
    ///   - input: The input.
    ///   - request: The request, with the expectations.
    ///   - now: The time at which expiration is checked, and which the page shows as now.
    /// - Throws: An error if the document can't be encoded.
    func examine(_ input: InspectorInput, for request: InspectorRequest, now: Date) throws -> InspectorResponse {
        let isApple = receipts.anchors.certificates == TrustAnchors.apple.certificates
        return try Inspection(
            receipts: receipts, signedData: signedData, trust: isApple ? .apple : .configured, roots: roots,
            request: request, now: now
        ).response(to: input, fileName: nil)
    }

    /// Examines a sample.
    func examine(_ sample: InspectorSample, for request: InspectorRequest, now: Date) throws -> InspectorResponse {
        try Inspection(
            receipts: InspectorSample.receipts, signedData: InspectorSample.signedData, trust: .sample,
            roots: InspectorSample.roots, request: request, now: now
        ).response(
            to: InspectorInput(sample.bytes, limits: InspectorSample.receipts.limits), fileName: sample.fileName)
    }
}
#endif
