@_exported public import AppReceiptParsing

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Says whether Apple signed a receipt, for this app and this device, and why not.
///
/// A receipt goes through the checks of ``Check`` in order: its container is taken apart, its payload read, the
/// signer's certificate chained to a pinned root as of the creation date, the signature checked, and what it says
/// compared with what is expected. ``verify(_:expecting:now:)`` stops at the first failure; ``report(_:expecting:now:)``
/// walks the same way and says of every check what came of it.
///
/// ```swift
/// let verifier = ReceiptVerifier()
/// let receipt = try verifier.verify(
///     bytes, expecting: Expectations(bundleIdentifier: "com.example.app", environments: [.production]))
/// ```
///
/// A verifier is a value: make one, share it between threads. It does no input or output and never asks for the time but
/// through `now`. It and its copies remember the last few chains of certificates that its anchors vouched for, which makes
/// the next receipt of the same signer several times cheaper and changes no verdict: what was signed, and the date, are
/// judged for every receipt.
/// Source: Apple, Validating receipts on the device.
public struct ReceiptVerifier: Sendable {
    /// How much a receipt may ask of the verifier.
    public let limits: ReceiptLimits

    let rules: ChainRules

    /// The roots that it trusts.
    package var anchors: TrustAnchors { rules.anchors }

    /// - Parameters:
    ///   - anchors: the roots to trust. Default: Apple's.
    ///   - xcode: certificates of Xcode's local testing to trust, for debug builds and tests. Default: none.
    ///   - limits: how much a receipt may ask of the verifier.
    public init(anchors: TrustAnchors = .apple, xcode: XcodeTrust = .disabled, limits: ReceiptLimits = .default) {
        rules = ChainRules(anchors: anchors, xcode: xcode)
        self.limits = limits
    }

    /// The verified receipt, or the first thing that is wrong with it.
    ///
    /// - Parameters:
    ///   - bytes: the receipt as DER, BER, base64 or PEM.
    ///   - expectations: what it must say.
    ///   - now: when a receipt that expires (volume purchases) is looked at. Certificates are judged at the receipt's
    ///     creation date, never at this one.
    /// - Throws: the first failure, with its code and stage.
    public func verify(
        _ bytes: some Collection<UInt8>, expecting expectations: Expectations, now: Date = Date()
    ) throws(ReceiptError) -> VerifiedReceipt {
        var validation = ReceiptValidation(.success(bytes), expectations, rules: rules, limits: limits, now: now)
        for check in Check.allCases { _ = try validation.run(check) }
        return try validation.verified()
    }

    /// What came of each check, with reasons. It goes as far as it can: what is compared is compared even if the
    /// signature is wrong, so that a person sees everything that is wrong at once.
    ///
    /// - Parameters: as for ``verify(_:expecting:now:)``.
    public func report(
        _ bytes: some Collection<UInt8>, expecting expectations: Expectations, now: Date = Date()
    ) -> ValidationReport {
        report(source: .success(bytes), expecting: expectations, now: now)
    }

    /// The report on bytes that may not have been read.
    package func report(
        source: Result<some Collection<UInt8>, ReceiptError>, expecting expectations: Expectations, now: Date
    ) -> ValidationReport {
        var validation = ReceiptValidation(source, expectations, rules: rules, limits: limits, now: now)
        var findings: [ValidationReport.CheckResult] = []
        var failure: ReceiptError?
        for check in Check.allCases {
            do throws(ReceiptError) {
                let outcome = try validation.run(check)
                findings.append(validation.finding(check, outcome))
            } catch {
                failure = failure ?? error
                findings.append(validation.finding(check, error))
            }
        }
        let result: Result<VerifiedReceipt, ReceiptError>
        if let failure {
            result = .failure(failure)
        } else {
            result = Result { () throws(ReceiptError) in try validation.verified() }
        }
        return ValidationReport(
            result: result, checks: findings, receipt: validation.receipt,
            certificates: validation.certificateSummaries(),
            entitlements: (try? result.get())?.entitlements(at: now))
    }
}
