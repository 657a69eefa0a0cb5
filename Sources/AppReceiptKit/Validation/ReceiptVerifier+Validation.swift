import AppReceiptFoundation
package import AppReceiptParsing
import AppReceiptSupport

extension ReceiptVerifier {
    /// Runs the checks of a receipt in the order in which the data flows.
    ///
    /// - Parameters:
    ///   - input: The receipt in binary, or the failure to read it.
    ///   - expectations: What the receipt must contain.
    ///   - checks: Runs the checks.
    func validate(
        _ input: Result<ReceiptInput, ReceiptError>, expecting expectations: Expectations,
        checks: consuming CheckRecorder
    ) -> ReceiptReport {
        guard let container = readContainer(input, checks: &checks) else { return ReceiptReport(checks) }
        guard let receipt = readPayload(of: container, checks: &checks) else {
            return ReceiptReport(checks) { CertificateSummary.all(in: container, nil) }
        }
        let chain = validateChain(of: container, with: receipt, checks: &checks)
        let isSigned = chain.map { verifySignature(of: container, with: $0, checks: &checks) } ?? false
        let device = checks.compare(receipt, with: expectations)
        // Only checks that passed set these values, so a receipt can't become verified without them.
        let verified: VerifiedReceipt? =
            if let chain, isSigned, let creationDate = receipt.creationDate {
                VerifiedReceipt(
                    receipt: receipt, container: container, creationDate: creationDate, chain: chain, device: device,
                    now: checks.now)
            } else {
                nil
            }
        return ReceiptReport(
            checks, signed: verified, environment: verified?.environment, contents: receipt,
            validationDate: receipt.creationDate
        ) { CertificateSummary.all(in: container, chain) }
    }

    private func readContainer(
        _ input: Result<ReceiptInput, ReceiptError>, checks: inout CheckRecorder
    ) -> ReceiptContainer? {
        checks.run(.container) { () throws(ReceiptError) in
            try ReceiptContainer(input.get(), limits: limits)
        } passed: { container in
            let form =
                switch try? input.get().format {
                case .base64: "base64 of a PKCS #7 container"
                case .pem: "PEM of a PKCS #7 container"
                case .ber: "a PKCS #7 container in BER"
                default: "a PKCS #7 container"
                }
            let count = container.certificates.count
            return "The input is \(form) with one signer and \(count) certificate\(count == 1 ? "" : "s")."
        }
    }

    private func readPayload(of container: ReceiptContainer, checks: inout CheckRecorder) -> AppReceipt? {
        checks.run(.payload) { () throws(ReceiptError) in
            try AppReceipt(container: container, limits: limits)
        } passed: { receipt in
            let (attributes, purchases) = (receipt.attributes.count, receipt.purchases.count)
            return "The payload contains \(attributes) attribute\(attributes == 1 ? "" : "s") and "
                + "\(purchases == 0 ? "no" : "\(purchases)") purchase\(purchases == 1 ? "" : "s")."
        }
    }

    private func validateChain(
        of container: ReceiptContainer, with receipt: AppReceipt, checks: inout CheckRecorder
    ) -> CertificateChain? {
        checks.runCertificateChain(at: receipt.creationDate) { () throws(ReceiptError) in
            // A receipt without a creation date can't be trusted; the current time isn't a substitute.
            guard let creationDate = receipt.creationDate else { throw ReceiptError(.creationDateMissing) }
            return try chainValidator.validate(container, environment: receipt.environment, at: creationDate)
        }
    }

    private func verifySignature(
        of container: ReceiptContainer, with chain: CertificateChain, checks: inout CheckRecorder
    ) -> Bool {
        checks.run(.signature) { () throws(ReceiptError) in
            try ContainerSignature.check(container, with: chain.signerKey, limits: limits)
        } passed: {
            "The signer signed exactly this content."
        } != nil
    }
}

extension CheckRecorder {
    /// Compares a receipt with the expectations.
    ///
    /// - Returns: The expected device that the receipt was created for; nil if the device wasn't checked.
    fileprivate mutating func compare(_ receipt: AppReceipt, with expectations: Expectations) -> DeviceIdentifier? {
        compareBundleIdentifier(receipt.bundleIdentifier, with: expectations.bundleIdentifier)
        compareEnvironment(
            receipt.environment?.base, named: receipt.environment?.rawValue, with: expectations.environments)
        for (expected, comparison) in ExpectationOption.texts {
            compare(comparison.text(receipt), with: expected(expectations), by: comparison)
        }
        let device = compareDevice(receipt, with: expectations.devices)
        checkExpiration(receipt)
        return device
    }

    private mutating func compareDevice(
        _ receipt: AppReceipt, with expected: AcceptedValues<DeviceIdentifier>
    ) -> DeviceIdentifier? {
        guard let devices = expected.values else {
            skip(
                .deviceHash, because: .notRequested,
                message: "No device is expected, so a receipt copied from another device passes.")
            return nil
        }
        return run(.deviceHash) { () throws(ReceiptError) in
            try receipt.device(among: devices)
        } passed: { device in
            guard devices.count > 1, let index = devices.firstIndex(of: device) else {
                return "The receipt was created for this device."
            }
            return "The receipt was created for this device (identifier \(index + 1) of \(devices.count))."
        }
    }

    /// Only receipts for volume purchases have an expiration date.
    private mutating func checkExpiration(_ receipt: AppReceipt) {
        let now = now
        let date = receipt.expirationDate.map { ReceiptDate.string(from: $0) }
        _ = run(.expiration) { () throws(ReceiptError) in
            if let expirationDate = receipt.expirationDate, expirationDate <= now {
                throw ReceiptError(.receiptExpired)
            }
        } passed: {
            date.map { "The receipt expires \($0)." } ?? "The receipt doesn't expire."
        } failed: { _ in
            date.map { "The receipt expired \($0)." }
        }
    }
}

extension ReceiptVerifier {
    /// Returns the failure of the chain or the signature of a receipt whose payload can't be read, or nil if both are
    /// valid.
    ///
    /// Distinguishes an altered receipt from one that was signed with an unreadable payload. A nil result isn't a
    /// verification: without a creation date, the chain is validated at the start of the signer's own validity.
    /// `verify` fails on such a receipt before it validates the chain, so no signature is verified twice.
    package func chainOrSignatureFailure(_ bytes: some Collection<UInt8>) -> ReceiptError? {
        do throws(ReceiptError) {
            let container = try ReceiptContainer(parsing: bytes, limits: limits)
            let signer = try container.signerCertificate(among: try container.readCertificates())
            // A trusted Xcode certificate has no issuer, and the claimed environment can't be read.
            let environment: ReceiptEnvironment? = signer.isSelfIssued ? .xcode : nil
            let chain = try chainValidator.validate(container, environment: environment, at: signer.notBefore)
            try ContainerSignature.check(container, with: chain.signerKey, limits: limits)
            return nil
        } catch {
            return error
        }
    }
}
