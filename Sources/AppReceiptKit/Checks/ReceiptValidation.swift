import AppReceiptParsing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A receipt during its validation. The checks run in the order in which the data flows.
struct ReceiptValidation<Bytes: Collection<UInt8>>: DataValidation {
    static var wording: CheckWording { .receipt }
    static var checks: [ValidationCheck] { ValidationCheck.receiptChecks }

    private let source: Result<Bytes, ReceiptError>
    private let chainValidator: ChainValidator
    private let limits: ReceiptLimits
    let expectations: Expectations
    let now: Date

    // The results of the checks that ran so far.
    private(set) var input: ReceiptInput?
    private(set) var container: ReceiptContainer?
    private(set) var receipt: AppReceipt?
    private(set) var chain: CertificateChain?
    private(set) var isSignatureValid = false
    private(set) var device: DeviceIdentifier?

    /// - Parameter source: The receipt's bytes, or the failure to read them.
    init(
        _ source: Result<Bytes, ReceiptError>, _ expectations: Expectations, chainValidator: ChainValidator,
        limits: ReceiptLimits,
        now: Date
    ) {
        self.source = source
        self.expectations = expectations
        self.chainValidator = chainValidator
        self.limits = limits
        self.now = now
    }

    mutating func run(_ check: ValidationCheck) throws(ReceiptError) -> CheckStatus {
        switch check {
        case .container: return try readContainer()
        case .payload: return try readPayload()
        case .certificateChain: return try validateChain()
        case .signature: return try checkSignature()
        default:
            guard let receipt else { return .notReached }
            return try compare(check, receipt)
        }
    }

    private mutating func readContainer() throws(ReceiptError) -> CheckStatus {
        let input = try ReceiptInput(source.get(), limits: limits)
        self.input = input
        container = try ReceiptContainer(parsing: input.containerBytes, limits: limits)
        return .passed
    }

    private mutating func readPayload() throws(ReceiptError) -> CheckStatus {
        guard let container else { return .notReached }
        receipt = try AppReceipt(container: container, limits: limits)
        return .passed
    }

    private mutating func validateChain() throws(ReceiptError) -> CheckStatus {
        guard let container, let receipt else { return .notReached }
        // A receipt without a creation date can't be trusted; the current time isn't a substitute.
        guard let creationDate = receipt.creationDate else { throw ReceiptError(.creationDateMissing) }
        chain = try chainValidator.validate(container, environment: receipt.environment, at: creationDate)
        return .passed
    }

    private mutating func checkSignature() throws(ReceiptError) -> CheckStatus {
        guard let container, let chain else { return .notReached }
        try ContainerSignature.check(container, with: chain.signerKey, limits: limits)
        isSignatureValid = true
        return .passed
    }

    private mutating func compare(_ check: ValidationCheck, _ receipt: AppReceipt) throws(ReceiptError)
        -> CheckStatus
    {
        switch check {
        case .bundleIdentifier:
            return try compareBundleIdentifier()
        case .environment:
            return try compareEnvironment()
        case .appVersion:
            guard let expected = expectations.appVersion else { return .notRequested }
            guard let actual = receipt.appVersion else { throw ReceiptError(.appVersionMissing) }
            guard actual.isSameText(as: expected) else { throw ReceiptError(.appVersionMismatch) }
        case .originalAppVersion:
            guard let expected = expectations.originalAppVersion else { return .notRequested }
            guard let actual = receipt.originalAppVersion else { throw ReceiptError(.originalAppVersionMissing) }
            guard actual.isSameText(as: expected) else { throw ReceiptError(.originalAppVersionMismatch) }
        case .deviceHash:
            guard case .oneOf(let devices) = expectations.devices else { return .notRequested }
            device = try receipt.device(among: devices)
        case .expiration:
            // Only receipts for volume purchases have an expiration date.
            if let expirationDate = receipt.expirationDate, expirationDate <= now {
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
        guard let container, let receipt, let chain, isSignatureValid, let creationDate = receipt.creationDate else {
            throw ReceiptError(.signatureInvalid, "The receipt wasn't verified.")
        }
        return VerifiedReceipt(
            receipt: receipt, container: container, creationDate: creationDate, chain: chain, device: device, now: now)
    }
}

extension ReceiptValidation {
    var contents: AppReceipt? { receipt }
    var claimedBundleIdentifier: String? { receipt?.bundleIdentifier }
    var expectedBundleIdentifier: Expectations.BundleIdentifier { expectations.bundleIdentifier }
    var claimedEnvironmentName: String? { receipt?.environment?.rawValue }
    var expectedEnvironments: Expectations.Environments { expectations.environments }
    var claimedEnvironment: ReceiptEnvironment.Base? { receipt?.environment?.base }
    var validationDate: Date? { receipt?.creationDate }

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
