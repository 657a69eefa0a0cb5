import AppReceiptParsing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One receipt on its way through the checks. Verdict and report both walk here.
struct ReceiptValidation<Bytes: Collection<UInt8>> {
    private let source: Result<Bytes, ReceiptError>
    private let rules: ChainRules
    private let limits: ReceiptLimits
    let expectations: Expectations
    let now: Date

    // What the checks so far have found.
    private(set) var input: ReceiptInput?
    private(set) var container: ReceiptContainer?
    private(set) var receipt: AppReceipt?
    private(set) var chain: CertificateChain?
    private(set) var isSignatureValid = false
    private(set) var device: DeviceIdentifier?

    /// - Parameter source: the receipt's bytes, or why there are none.
    init(
        _ source: Result<Bytes, ReceiptError>, _ expectations: Expectations, rules: ChainRules, limits: ReceiptLimits,
        now: Date
    ) {
        self.source = source
        self.expectations = expectations
        self.rules = rules
        self.limits = limits
        self.now = now
    }

    enum Outcome {
        case passed
        /// The caller expects nothing that this check could compare.
        case notRequested
        /// An earlier check failed, without which this one is not possible.
        case notReached
    }

    /// Makes one check. The checks are made in order, each once.
    mutating func run(_ check: Check) throws(ReceiptError) -> Outcome {
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

    private mutating func readContainer() throws(ReceiptError) -> Outcome {
        let input = try ReceiptInput(source.get(), limits: limits)
        self.input = input
        container = try ReceiptContainer(parsing: input.der, limits: limits)
        return .passed
    }

    private mutating func readPayload() throws(ReceiptError) -> Outcome {
        guard let container else { return .notReached }
        receipt = try AppReceipt(container: container, limits: limits)
        return .passed
    }

    private mutating func validateChain() throws(ReceiptError) -> Outcome {
        guard let container, let receipt else { return .notReached }
        // Never today: no creation date, no trust.
        guard let creationDate = receipt.creationDate else { throw ReceiptError(.creationDateMissing) }
        chain = try rules.validate(container, environment: receipt.environment, at: creationDate)
        return .passed
    }

    private mutating func checkSignature() throws(ReceiptError) -> Outcome {
        guard let container, let chain else { return .notReached }
        try ContainerSignature.check(container, with: chain.signerKey, limits: limits)
        isSignatureValid = true
        return .passed
    }

    private mutating func compare(_ check: Check, _ receipt: AppReceipt) throws(ReceiptError) -> Outcome {
        switch check {
        case .bundleIdentifier:
            guard case .identifier(let expected) = expectations.bundleIdentifier else { return .notRequested }
            guard let actual = receipt.bundleIdentifier else { throw ReceiptError(.bundleIdentifierMissing) }
            guard actual.isSameText(as: expected) else { throw ReceiptError(.bundleIdentifierMismatch) }
        case .environment:
            guard case .only(let accepted) = expectations.environments else { return .notRequested }
            guard let environment = receipt.environment else { throw ReceiptError(.environmentMissing) }
            guard let base = environment.base else { throw ReceiptError(.environmentUnknown) }
            guard accepted.contains(base) else { throw ReceiptError(.environmentMismatch) }
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
            // Absent for everything but volume purchases: such a receipt does not expire.
            if let expirationDate = receipt.expirationDate, expirationDate <= now {
                throw ReceiptError(.receiptExpired)
            }
        case .container, .payload, .certificateChain, .signature:
            return .notReached
        }
        return .passed
    }

    /// The verified receipt, once every check was made and none failed.
    func verified() throws(ReceiptError) -> VerifiedReceipt {
        // Each of these is set by a check that passed; nothing becomes verified if one was not made.
        guard let container, let receipt, let chain, isSignatureValid, let creationDate = receipt.creationDate else {
            throw ReceiptError(.signatureInvalid, "The receipt was not verified.")
        }
        return VerifiedReceipt(
            receipt: receipt, container: container, creationDate: creationDate, chain: chain, device: device, now: now)
    }

    /// The certificates with their parts in the chain, those that count first.
    func certificateSummaries() -> [CertificateSummary] {
        guard let container else { return [] }
        let all = Certificate.readable(in: container)
        let signer = chain?.signer ?? (try? ChainRules.signer(container.signer.identifier, among: all))
        var summaries: [CertificateSummary] = []
        if let signer {
            summaries.append(CertificateSummary(signer, role: chain?.isXcode == true ? .xcode : .signer))
        }
        if let intermediate = chain?.intermediate {
            summaries.append(CertificateSummary(intermediate, role: .intermediate))
        }
        if let anchor = chain?.anchor { summaries.append(CertificateSummary(anchor, role: .anchor)) }
        let used = [signer, chain?.intermediate, chain?.anchor].compactMap { $0 }
        return summaries + all.filter { !used.contains($0) }.map { CertificateSummary($0, role: .unused) }
    }
}

extension String {
    /// Equal scalar by scalar. Swift's own equality also takes different spellings of a letter as one; a bundle
    /// identifier spelled otherwise is another one.
    fileprivate func isSameText(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
