/// Notifies tests of signature verifications, so that they can assert that no signature is verified twice.
package enum SignatureVerificationObserver {
    /// Called with each signature that is verified in the current task; nil except in tests.
    ///
    /// A task-local value separates parallel tests. The cost of reading it is negligible compared with a verification.
    @TaskLocal package static var handler: (@Sendable (ArraySlice<UInt8>) -> Void)?
}
