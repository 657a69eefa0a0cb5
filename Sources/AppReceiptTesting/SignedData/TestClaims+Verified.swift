import AppReceiptFoundation
public import AppStoreSignedData

// The claims of a test, signed and verified under the root of `TestPKI.signedData` at the date of the signature. Any
// app, environment and device is accepted.

private let anyApp = SignedDataExpectations(
    bundleIdentifier: .anyBundle, environments: .anyEnvironment, appAppleIdentifier: .anyApp)

private var verifier: SignedDataVerifier {
    get throws(ReceiptError) { SignedDataVerifier(anchors: try TestPKI.signedData.anchors) }
}

extension TestTransaction {
    /// Signs and verifies the transaction, for tests of code that requires a verified one.
    ///
    /// - Returns: The verified transaction.
    /// - Throws: The first failure, with its code.
    public func verified() throws(ReceiptError) -> VerifiedTransaction {
        try verifier.verifyTransaction(try signed(), expecting: anyApp, now: signedDate)
    }
}

extension TestRenewalInfo {
    /// Signs and verifies the renewal information, for tests of code that requires verified information.
    ///
    /// - Returns: The verified renewal information.
    /// - Throws: The first failure, with its code.
    public func verified() throws(ReceiptError) -> VerifiedRenewalInfo {
        try verifier.verifyRenewalInfo(try signed(), expecting: anyApp, now: signedDate)
    }
}

extension TestAppTransaction {
    /// Signs and verifies the app transaction, for tests of code that requires a verified one.
    ///
    /// - Returns: The verified app transaction.
    /// - Throws: The first failure, with its code.
    public func verified() throws(ReceiptError) -> VerifiedAppTransaction {
        try verifier.verifyAppTransaction(try signed(), expecting: anyApp, now: signedDate)
    }
}

extension TestNotification {
    /// Signs and verifies the notification, for tests of code that requires a verified one.
    ///
    /// - Returns: The verified notification.
    /// - Throws: The first failure, with its code.
    public func verified() throws(ReceiptError) -> VerifiedNotification {
        try verifier.verifyNotification(try signed(), expecting: anyApp, now: signedDate)
    }
}
