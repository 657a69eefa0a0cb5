import AppReceiptParsing
import AppReceiptSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A receipt during its validation. The checks run in the order in which the data flows.
struct ReceiptValidation: DataValidation {
    static var wording: CheckWording { .receipt }
    static var checks: [ValidationCheck] { ValidationCheck.receiptChecks }

    private let source: Result<ReceiptInput, ReceiptError>
    private let chainValidator: ChainValidator
    private let limits: ReceiptLimits
    let expectations: Expectations
    let now: Date

    // The results of the checks that ran so far.
    private(set) var container: ReceiptContainer?
    private(set) var receipt: SharedValue<AppReceipt>?
    private(set) var chain: CertificateChain?
    private(set) var isSignatureValid = false
    private(set) var device: DeviceIdentifier?

    /// - Parameter source: The receipt in binary, or the failure to read it.
    init(
        _ source: Result<ReceiptInput, ReceiptError>, _ expectations: Expectations, chainValidator: ChainValidator,
        limits: ReceiptLimits,
        now: Date
    ) {
        self.source = source
        self.expectations = expectations
        self.chainValidator = chainValidator
        self.limits = limits
        self.now = now
    }

    /// The form of the input, nil if it couldn't be read.
    var inputFormat: ReceiptInput.Format? { try? source.get().format }

    mutating func run(_ check: ValidationCheck) throws(ReceiptError) -> CheckStatus {
        switch check {
        case .container:
            container = try parseContainer()
        case .payload:
            guard let parsed = try parsePayload() else { return .notReached }
            receipt = SharedValue(parsed)
        case .certificateChain:
            guard let validated = try validateChain() else { return .notReached }
            chain = validated
        case .signature:
            isSignatureValid = try checkSignature()
            guard isSignatureValid else { return .notReached }
        case .deviceHash:
            guard case .oneOf(let devices) = expectations.devices else {
                return receipt == nil ? .notReached : .notRequested
            }
            guard let found = try receipt?.value.device(among: devices) else { return .notReached }
            device = found
        default:
            return try compare(check)
        }
        return .passed
    }

    private func parseContainer() throws(ReceiptError) -> ReceiptContainer {
        try ReceiptContainer(parsing: source.get().containerBytes, limits: limits)
    }

    private func parsePayload() throws(ReceiptError) -> AppReceipt? {
        guard let container else { return nil }
        return try AppReceipt(container: container, limits: limits)
    }

    private func validateChain() throws(ReceiptError) -> CertificateChain? {
        guard let container, let receipt else { return nil }
        // A receipt without a creation date can't be trusted; the current time isn't a substitute.
        guard let creationDate = receipt.value.creationDate else { throw ReceiptError(.creationDateMissing) }
        return try chainValidator.validate(
            container, environment: receipt.value.environment, at: creationDate)
    }

    /// Returns whether the signature was verified, which requires a chain.
    private func checkSignature() throws(ReceiptError) -> Bool {
        guard let container, let chain else { return false }
        try ContainerSignature.check(container, with: chain.signerKey, limits: limits)
        return true
    }

    private func compare(_ check: ValidationCheck) throws(ReceiptError) -> CheckStatus {
        guard let receipt else { return .notReached }
        switch check {
        case .bundleIdentifier:
            return try compareBundleIdentifier()
        case .environment:
            return try compareEnvironment()
        case .appVersion:
            guard let expected = expectations.appVersion else { return .notRequested }
            guard let actual = receipt.value.appVersion else { throw ReceiptError(.appVersionMissing) }
            guard actual.isSameText(as: expected) else { throw ReceiptError(.appVersionMismatch) }
        case .originalAppVersion:
            guard let expected = expectations.originalAppVersion else { return .notRequested }
            guard let actual = receipt.value.originalAppVersion else { throw ReceiptError(.originalAppVersionMissing) }
            guard actual.isSameText(as: expected) else { throw ReceiptError(.originalAppVersionMismatch) }
        case .expiration:
            // Only receipts for volume purchases have an expiration date.
            if let expirationDate = receipt.value.expirationDate, expirationDate <= now {
                throw ReceiptError(.receiptExpired)
            }
        default:
            return .notApplicable
        }
        return .passed
    }

    /// Returns the receipt if its chain and signature are valid.
    func authenticated() throws(ReceiptError) -> VerifiedReceipt {
        // Only checks that passed set these values, so a receipt can't become verified without them.
        guard let container, let receipt, let chain, isSignatureValid,
            let creationDate = receipt.value.creationDate
        else {
            throw ReceiptError(.signatureInvalid, "The receipt wasn't verified.")
        }
        return VerifiedReceipt(
            receipt: receipt, container: container, creationDate: creationDate, chain: chain,
            device: device, now: now)
    }
}

extension ReceiptValidation {
    var sharedContents: SharedValue<AppReceipt>? { receipt }
    var claimedBundleIdentifier: String? { receipt?.value.bundleIdentifier }
    var expectedBundleIdentifier: Expectations.BundleIdentifier { expectations.bundleIdentifier }
    var claimedEnvironmentName: String? { receipt?.value.environment?.rawValue }
    var expectedEnvironments: Expectations.Environments { expectations.environments }
    var claimedEnvironment: ReceiptEnvironment.Base? { receipt?.value.environment?.base }
    var validationDate: Date? { receipt?.value.creationDate }

    /// Returns the certificates of the chain, then the unused ones.
    var certificateSummaries: @Sendable () -> [CertificateSummary] {
        guard let container else { return { [] } }
        return { [chain] in CertificateSummary.all(in: container, chain) }
    }
}

extension String {
    /// Whether two strings have the same UTF-8 bytes. Swift's equality ignores the normalization form, which distinguishes bundle identifiers.
    fileprivate func isSameText(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
