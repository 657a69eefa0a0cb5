/// Notifies tests of signature verifications, so that they can assert that no signature is verified twice.
///
/// A class rather than a closure: Swift 6.3 miscompiles a task-local closure in release builds.
package final class SignatureVerificationObserver: Sendable {
    /// The observer of the current task; nil except in tests.
    ///
    /// A task-local value keeps parallel tests apart. It reaches the task executor and the database's queue, which run the same task or one
    /// that it has started. Reading it is negligible beside a verification.
    @TaskLocal package static var current: SignatureVerificationObserver?

    private let handler: @Sendable (ArraySlice<UInt8>) -> Void

    /// - Parameter handler: Called with each signature that is verified.
    package init(_ handler: @escaping @Sendable (ArraySlice<UInt8>) -> Void) { self.handler = handler }

    func signatureVerified(_ signature: ArraySlice<UInt8>) { handler(signature) }
}
