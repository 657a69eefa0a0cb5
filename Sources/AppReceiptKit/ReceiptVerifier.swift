public import AppReceiptFoundation
public import AppReceiptParsing

/// Verifies that Apple signed a receipt for this app and device.
///
/// A receipt passes the checks of ``AppReceiptParsing/ValidationCheck/receiptChecks`` in order: its container is
/// parsed, then its payload; the signer's certificate is chained to a pinned root as of the creation date; the
/// signature is verified; and the contents are compared with the ``Expectations``. `verify` stops at the first failure.
/// `report` runs every check it can and returns the result of each.
///
/// ```swift
/// let verifier = ReceiptVerifier()
/// let receipt = try verifier.verify(
///     bytes, expecting: Expectations(bundleIdentifier: "com.example.app", environments: [.production]))
/// ```
///
/// Create one verifier and share it between threads. Verification is synchronous and performs no I/O; `now` is the only
/// source of the current time. Copies of a verifier share a cache of recently validated certificate chains. The cache
/// makes receipts from a known signer several times cheaper to verify; it never changes a result, because the signature
/// and the creation date are checked for every receipt.
///
/// Source: Apple, Validating receipts on the device.
public struct ReceiptVerifier: Sendable {
    /// The limits for receipts.
    public let limits: ReceiptLimits

    let chainValidator: ChainValidator
    let transactionReceipts: TransactionReceiptTrust

    /// The trusted roots.
    package var anchors: TrustAnchors { chainValidator.anchors }

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - anchors: The roots to trust. Default: Apple's.
    ///   - xcode: The trusted certificates of Xcode's local testing, for debug builds and tests. Default: none.
    ///   - transactionReceipts: The intermediates of transaction receipts. Default: Apple's.
    ///   - limits: The limits for receipts.
    public init(
        anchors: TrustAnchors = .apple, xcode: XcodeTrust = .disabled,
        transactionReceipts: TransactionReceiptTrust = .apple, limits: ReceiptLimits = .default
    ) {
        chainValidator = ChainValidator(anchors: anchors, xcode: xcode)
        self.transactionReceipts = transactionReceipts
        self.limits = limits
    }

    /// Verifies a receipt.
    ///
    /// - Parameters:
    ///   - bytes: The receipt as DER, BER, base64 or PEM.
    ///   - expectations: What the receipt must contain.
    ///   - now: The current time, at which a receipt with an expiration date (volume purchases) must not have expired.
    ///     Certificates are validated at the receipt's creation date instead.
    /// - Returns: The verified receipt.
    /// - Throws: The first failure, with its code and check.
    public func verify(
        _ bytes: some Collection<UInt8>, expecting expectations: Expectations, now: Date = Date()
    ) throws(ReceiptError) -> VerifiedReceipt {
        try report(source: .success(bytes), expecting: expectations, now: now, recording: .firstFailure).result.get()
    }

    /// Runs every check of a receipt and reports the result of each.
    ///
    /// The contents are compared with the expectations even if the signature is invalid, so that the report shows all
    /// failures at once.
    ///
    /// - Parameters:
    ///   - bytes: The receipt as DER, BER, base64 or PEM.
    ///   - expectations: What the receipt must contain.
    ///   - now: The current time, as for `verify`.
    /// - Returns: The results of all checks, and the verified receipt or the first failure.
    public func report(
        _ bytes: some Collection<UInt8>, expecting expectations: Expectations, now: Date = Date()
    ) -> ReceiptReport {
        report(source: .success(bytes), expecting: expectations, now: now)
    }

    /// Runs every check of a receipt, or reports the failure to read its bytes.
    package func report(
        source: Result<some Collection<UInt8>, ReceiptError>, expecting expectations: Expectations, now: Date,
        recording mode: CheckRecorder.Mode = .everyResult
    ) -> ReceiptReport {
        validate(
            Result { () throws(ReceiptError) in try ReceiptInput(source.get(), limits: limits) },
            expecting: expectations,
            checks: CheckRecorder(ValidationCheck.receiptChecks, of: .receipt, recording: mode, now: now))
    }
}
