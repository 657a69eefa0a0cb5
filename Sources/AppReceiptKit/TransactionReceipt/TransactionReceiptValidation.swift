import AppReceiptParsing
import AppReceiptSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A transaction receipt during its validation. The checks are those of app receipts.
struct TransactionReceiptValidation: DataValidation {
    static var wording: CheckWording { .transactionReceipt }
    static var checks: [ValidationCheck] { ValidationCheck.receiptChecks }

    private let source: Result<TransactionReceipt, ReceiptError>
    private let expectations: Expectations
    private let trust: TransactionReceiptTrust
    private let anchors: TrustAnchors
    let now: Date

    // The results of the checks that ran so far.
    private var receipt: SharedValue<TransactionReceipt>?
    private(set) var chain: CertificateChain?
    private(set) var isSignatureValid = false

    /// - Parameter source: The receipt, or the failure to parse it.
    init(
        _ source: Result<TransactionReceipt, ReceiptError>, _ expectations: Expectations,
        trust: TransactionReceiptTrust, anchors: TrustAnchors, now: Date
    ) {
        self.source = source
        self.expectations = expectations
        self.trust = trust
        self.anchors = anchors
        self.now = now
    }

    mutating func run(_ check: ValidationCheck) throws(ReceiptError) -> CheckStatus {
        switch check {
        case .container:
            if case .failure(let error) = source, error.stage != .payload { throw error }
        case .payload:
            if case .failure(let error) = source, error.stage != .payload { return .notReached }
            receipt = SharedValue(try source.get())
        case .certificateChain:
            guard let receipt else { return .notReached }
            chain = try trust.validate(receipt.value, under: anchors)
        case .signature:
            guard let receipt, let chain else { return .notReached }
            try checkSignature(of: receipt.value, with: chain.signerKey)
            isSignatureValid = true
        default:
            return try compare(check)
        }
        return .passed
    }

    private func checkSignature(
        of receipt: TransactionReceipt, with key: CertificateKey
    ) throws(ReceiptError) {
        let message = [receipt.signature.version.rawValue] + receipt.signedInfo
        guard key.isValidSignature(receipt.signature.signature, over: message[...], .sha1) else {
            throw ReceiptError(.signatureInvalid)
        }
    }

    private func compare(_ check: ValidationCheck) throws(ReceiptError) -> CheckStatus {
        guard let receipt = receipt?.value else { return .notReached }
        switch check {
        case .bundleIdentifier:
            return try compareBundleIdentifier()
        case .environment:
            return try compareEnvironment()
        case .appVersion:
            guard let expected = expectations.appVersion else { return .notRequested }
            guard let actual = receipt.appVersion else { throw ReceiptError(.appVersionMissing) }
            guard actual.utf8.elementsEqual(expected.utf8) else { throw ReceiptError(.appVersionMismatch) }
            return .passed
        case .originalAppVersion:
            // A requested check that is skipped would appear to have passed.
            guard expectations.originalAppVersion == nil else {
                throw ReceiptError(
                    .originalAppVersionMissing, "Transaction receipts don't contain the version that was first bought.")
            }
        case .deviceHash:
            guard case .anyDevice = expectations.devices else {
                throw ReceiptError(.deviceHashMissing, "Transaction receipts don't contain a device hash.")
            }
        default:
            break
        }
        return .notApplicable
    }

    /// Returns the receipt if its chain and signature are valid.
    func authenticated() throws(ReceiptError) -> VerifiedTransactionReceipt {
        guard let receipt, let chain, isSignatureValid else {
            throw ReceiptError(.signatureInvalid, "The receipt wasn't verified.")
        }
        return VerifiedTransactionReceipt(receipt.value, chain: chain)
    }
}

extension TransactionReceiptValidation {
    var sharedContents: SharedValue<TransactionReceipt>? { receipt }
    var claimedBundleIdentifier: String? { receipt?.value.bundleIdentifier }
    var expectedBundleIdentifier: Expectations.BundleIdentifier { expectations.bundleIdentifier }
    var claimedEnvironmentName: String? { receipt?.value.environmentName }
    var expectedEnvironments: Expectations.Environments { expectations.environments }
    var claimedEnvironment: ReceiptEnvironment.Base? { receipt?.value.environment }
    var validationDate: Date? { receipt?.value.purchaseDate }

    /// Returns the certificates of the chain, or the signer's alone if there is no chain.
    var certificateSummaries: @Sendable () -> [CertificateSummary] {
        guard let receipt else { return { [] } }
        return { [chain] in CertificateSummary.all(in: receipt.value, chain) }
    }
}

extension TransactionReceiptValidation {
    func passedMessage(_ check: ValidationCheck) -> String {
        switch check {
        case .container:
            return "The input is a property list with a signature and a certificate."
        case .payload:
            guard let receipt = receipt?.value else { return "The purchase info can be read." }
            return "The purchase info contains one purchase in \(receipt.info.entries.count) values."
        case .certificateChain:
            return chainMessage
        case .signature:
            return "The signer signed exactly this purchase info."
        case .bundleIdentifier:
            return bundleIdentifierMessage
        case .environment:
            return environmentMessage
        case .appVersion:
            return "The receipt is for version \(receipt?.value.appVersion ?? "")."
        default:
            return notApplicableMessage(check)
        }
    }

    func notRequestedMessage(_ check: ValidationCheck) -> String {
        check == .appVersion ? "No app version is expected." : sharedNotRequestedMessage(check)
    }

    func notApplicableMessage(_ check: ValidationCheck) -> String {
        switch check {
        case .originalAppVersion: "Transaction receipts don't contain the version that was first bought."
        case .deviceHash:
            "Transaction receipts don't contain a device hash, so one that was copied from another device passes."
        case .expiration: "Transaction receipts don't expire. The end of a subscription is part of its product."
        default: "Not applicable to transaction receipts."
        }
    }

    /// The error's message, with the actual and expected values unless they identify the customer.
    func failureMessage(_ check: ValidationCheck, _ error: ReceiptError) -> String {
        guard error.code == .appVersionMismatch else { return sharedFailureMessage(error) }
        return
            "The receipt is for version \(quoted(receipt?.value.appVersion)), not \(quoted(expectations.appVersion))."
    }
}
