public import AppReceiptFoundation
public import AppReceiptParsing

extension ReceiptVerifier {
    /// Verifies a transaction receipt, a property list with one purchase.
    ///
    /// It passes the checks of a receipt that apply to it. It contains no original app version and no device hash, so
    /// it is rejected if one of them is expected.
    ///
    /// - Parameters:
    ///   - bytes: The property list, or base64 of it.
    ///   - expectations: What the receipt must contain.
    ///   - now: The current time, used only to report that a purchase date is in the future.
    /// - Returns: The verified receipt.
    /// - Throws: The first failure, with its code and check.
    public func verifyTransactionReceipt(
        _ bytes: some Collection<UInt8>, expecting expectations: Expectations, now: Date = Date()
    ) throws(ReceiptError) -> VerifiedTransactionReceipt {
        try report(of: bytes, expecting: expectations, recording: .firstFailure, now: now).result.get()
    }

    /// Runs every check of a transaction receipt and reports the result of each.
    ///
    /// - Parameters:
    ///   - bytes: The property list, or base64 of it.
    ///   - expectations: What the receipt must contain.
    ///   - now: The current time, as for `verifyTransactionReceipt`.
    /// - Returns: The results of all checks, and the verified receipt or the first failure.
    public func reportTransactionReceipt(
        _ bytes: some Collection<UInt8>, expecting expectations: Expectations, now: Date = Date()
    ) -> TransactionReceiptReport {
        report(of: bytes, expecting: expectations, recording: .everyResult, now: now)
    }

    private func report(
        of bytes: some Collection<UInt8>, expecting expectations: Expectations, recording mode: CheckRecorder.Mode,
        now: Date
    ) -> TransactionReceiptReport {
        validate(
            transactionReceipt: Result { () throws(ReceiptError) in try TransactionReceipt(parsing: bytes) },
            expecting: expectations,
            checks: CheckRecorder(ValidationCheck.receiptChecks, of: .transactionReceipt, recording: mode, now: now))
    }
}

extension ReceiptVerifier {
    /// Runs the checks of a transaction receipt, which are those of app receipts.
    ///
    /// - Parameters:
    ///   - source: The receipt, or the failure to parse it.
    ///   - expectations: What the receipt must contain.
    ///   - checks: Runs the checks.
    func validate(
        transactionReceipt source: Result<TransactionReceipt, ReceiptError>, expecting expectations: Expectations,
        checks: consuming CheckRecorder
    ) -> TransactionReceiptReport {
        guard let receipt = read(source, recording: &checks) else { return TransactionReceiptReport(checks) }
        let chain = checks.runCertificateChain(at: receipt.purchaseDate) { () throws(ReceiptError) in
            try transactionReceipts.validate(receipt, under: anchors)
        }
        let verified = chain.flatMap { verifySignature(of: receipt, with: $0, recording: &checks) }
        checks.compare(receipt, with: expectations)
        return TransactionReceiptReport(
            checks, signed: verified, environment: verified?.environment, contents: receipt,
            validationDate: receipt.purchaseDate
        ) { CertificateSummary.all(in: receipt, chain) }
    }

    private func read(
        _ source: Result<TransactionReceipt, ReceiptError>, recording checks: inout CheckRecorder
    ) -> TransactionReceipt? {
        let container: Void? = checks.run(.container) { () throws(ReceiptError) in
            if case .failure(let error) = source, error.check != .payload { throw error }
        } passed: {
            "The input is a property list with a signature and a certificate."
        }
        guard container != nil else { return nil }
        return checks.run(.payload) { () throws(ReceiptError) in
            try source.get()
        } passed: { receipt in
            "The purchase info contains one purchase in \(receipt.info.entries.count) values."
        }
    }

    private func verifySignature(
        of receipt: TransactionReceipt, with chain: CertificateChain, recording checks: inout CheckRecorder
    ) -> VerifiedTransactionReceipt? {
        checks.run(.signature) { () throws(ReceiptError) in
            let message = [receipt.signature.version.rawValue] + receipt.signedInfo
            guard chain.signerKey.isValidSignature(receipt.signature.signature, over: message[...], digest: .sha1)
            else {
                throw ReceiptError(.signatureInvalid)
            }
            return VerifiedTransactionReceipt(receipt, chain: chain)
        } passed: { _ in
            "The signer signed exactly this purchase info."
        }
    }
}

extension CheckRecorder {
    fileprivate mutating func compare(_ receipt: TransactionReceipt, with expectations: Expectations) {
        compareBundleIdentifier(receipt.bundleIdentifier, with: expectations.bundleIdentifier)
        compareEnvironment(receipt.environment, named: receipt.environmentName, with: expectations.environments)
        for (expected, comparison) in ExpectationOption.texts {
            compare(receipt, with: expected(expectations), by: comparison)
        }
        compareDevice(with: expectations.devices)
        skip(
            .expiration, because: .notApplicable,
            message: "Transaction receipts don't expire. The end of a subscription is part of its product.")
    }

    // A requested check that is skipped would appear to have passed, so it fails.

    private mutating func compare(
        _ receipt: TransactionReceipt, with expected: String?, by comparison: TextComparison
    ) {
        if let text = comparison.transactionReceiptText {
            return compare(text(receipt), with: expected, by: comparison)
        }
        let message = "Transaction receipts don't contain the \(comparison.name)."
        guard expected != nil else { return skip(comparison.check, because: .notApplicable, message: message) }
        fail(comparison.check, with: ReceiptError(comparison.codes.missing, message))
    }

    private mutating func compareDevice(with expected: AcceptedValues<DeviceIdentifier>) {
        let message = "Transaction receipts don't contain a device hash"
        guard expected.values != nil else {
            return skip(
                .deviceHash, because: .notApplicable,
                message: "\(message), so one that was copied from another device passes.")
        }
        fail(.deviceHash, with: ReceiptError(.deviceHashMissing, "\(message)."))
    }
}
