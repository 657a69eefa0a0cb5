/// Notifies tests of signature verifications, so that they can assert that no signature is verified twice.
package enum SignatureVerificationObserver {
    /// Called with each signature that is verified in the current task; nil except in tests.
    ///
    /// A task-local value keeps parallel tests apart. It reaches the task executor and the database's queue, which run the same task or one
    /// that it has started. Reading it is negligible beside a verification.
    @TaskLocal package static var handler: (@Sendable (ArraySlice<UInt8>) -> Void)?
}
