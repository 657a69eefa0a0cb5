public import AppReceiptKit

extension ValidationCheck {
    /// The checks of signed data, in the order in which they run.
    public static let signedDataChecks: [ValidationCheck] = [
        .token, .payload, .certificateChain, .signature, .bundleIdentifier, .environment, .appAppleIdentifier,
        .deviceVerification, .nestedData,
    ]
}
