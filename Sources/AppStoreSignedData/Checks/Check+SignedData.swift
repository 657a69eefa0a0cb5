public import AppReceiptKit

extension Check {
    /// The checks of signed data, in the order in which they run.
    public static let signedDataChecks: [Check] = [
        .token, .payload, .certificateChain, .signature, .bundleIdentifier, .environment, .appAppleIdentifier,
        .deviceVerification, .nestedData,
    ]
}
