public import AppReceiptKit

// The errors of making test data. docs/errors.md is generated from them.

extension ReceiptError.Code {
    /// The private key of test data can't be read.
    public static let testKeyMalformed = Self(
        "test-key-malformed", .testData,
        cause: "The private key of the test data can't be read.",
        remedy:
            "Pass the key as base64 of DER: PKCS #1 for RSA, SEC 1 for elliptic curves. Or use one of `TestKey`'s constants."
    )

    /// A change to a test case threw an error that isn't a `ReceiptError`.
    public static let testChangeFailed = Self(
        "test-change-failed", .testData,
        cause: "A change to the test case threw an error.",
        remedy: "Fix the closure that changes the test case. The message contains its error.")
}
