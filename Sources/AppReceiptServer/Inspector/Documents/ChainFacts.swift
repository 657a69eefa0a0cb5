#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport

/// The certificates of a report in their order, and the evidence of the chain's check.
///
/// The evidence depends on the failure: a signature that is invalid isn't explained by dates that are fine.
struct ChainFacts {
    /// The chain from the signer up, by the names of the issuers. The anchor is part of it only if the chain is valid.
    private let path: [CertificateSummary]
    private let result: CheckResult?
    private let date: Date?
    private let trustedNames: String

    /// - Parameters:
    ///   - report: The report.
    ///   - roots: The trusted roots.
    init<Value, Contents>(_ report: ValidationReport<Value, Contents>, roots: TrustedRoots) {
        result = report.checks.first { $0.check == .certificateChain }
        let path = Self.path(through: report.certificates)
        // The trusted root didn't sign this intermediate. A root of the same name in the input has no part in that.
        let endsBelowRoot = result?.code == "intermediate-signature-invalid"
        self.path = endsBelowRoot ? path.filter { $0.subject != $0.issuer } : path
        date = report.validationDate
        trustedNames = roots.names
    }

    private static func path(through certificates: [CertificateSummary]) -> [CertificateSummary] {
        let proven = certificates.filter { $0.role != .unused }
        if proven.contains(where: { $0.role == .anchor || $0.role == .xcode }) { return proven }
        var path = certificates.filter { $0.role == .signer }
        while let last = path.last, last.subject != last.issuer, path.count < 6,
            let issuer = certificates.first(where: { $0.subject == last.issuer && !path.contains($0) })
        {
            path.append(issuer)
        }
        return path
    }

    private var failure: String? { result?.outcome == .failed ? result?.code : nil }

    /// The certificate that the failure is about, nil if there is none, or if it is the trusted root.
    private var subject: CertificateSummary? {
        guard let failure else { return nil }
        if failure.hasPrefix("signer-") { return path.first }
        let isAboutIntermediate = failure.hasPrefix("intermediate-") && failure != "intermediate-missing"
        return isAboutIntermediate ? path.dropFirst().first : nil
    }

    /// The certificate below the missing or invalid link of the chain, nil if no link is broken.
    private var brokenBelow: CertificateSummary? {
        switch failure {
        case "root-not-trusted", "chain-too-long", "chain-too-short", "intermediate-missing": path.last
        case "signer-signature-invalid", "intermediate-signature-invalid": subject
        default: nil
        }
    }

    /// The evidence of the chain's check.
    var facts: [CheckFact] {
        guard let failure else { return result?.outcome == .passed ? validities(path) : [] }
        switch failure {
        case "creation-date-missing", "signed-date-missing":
            return [CheckFact(name: "Date", found: nil, expected: "the date it was signed")]
        case "root-not-trusted":
            return [CheckFact(name: "Root", found: path.last.map(Self.root), expected: trustedNames)]
        case _ where failure.hasSuffix("-expired") || failure.hasSuffix("-not-yet-valid"):
            return validities(subject.map { [$0] } ?? [])
        case _ where failure.hasSuffix("-signature-invalid"):
            return subject.map { certificate in
                [
                    CheckFact(
                        name: certificate.commonName, found: "a signature that isn't of the issuer's key",
                        expected: "signed by \(Self.commonName(inName: certificate.issuer))")
                ]
            } ?? []
        case _ where failure.split(separator: "-").contains("key"):
            return subject.map { [CheckFact(name: $0.commonName, found: $0.key)] } ?? []
        default:
            return subject.map { [CheckFact(name: "Certificate", found: $0.commonName)] } ?? []
        }
    }

    /// How the page draws the chain: `{"path", "brokenBelow", "faulty", "root"}`. Certificates are referred to by their
    /// fingerprints; the path begins with the root. `root` names the roots that the chain doesn't reach.
    var json: AppStoreJSON {
        [
            "path": .array(path.reversed().map { .string($0.sha256Fingerprint) }),
            "brokenBelow": .text(brokenBelow?.sha256Fingerprint),
            "faulty": .text(brokenBelow == nil ? subject?.sha256Fingerprint : nil),
            "root": .string(
                failure == "intermediate-signature-invalid"
                    ? subject.map { Self.commonName(inName: $0.issuer) } ?? trustedNames : trustedNames),
        ]
    }

    private func validities(_ certificates: [CertificateSummary]) -> [CheckFact] {
        let expected = date.map { "valid at \(ReceiptDate.string(from: $0))" }
        return certificates.map {
            CheckFact(name: $0.commonName, found: CheckFact.validity(of: $0), expected: expected)
        }
    }

    /// Returns the name of the root at which a chain ends: the last certificate, or its issuer.
    private static func root(_ last: CertificateSummary) -> String {
        last.subject == last.issuer ? last.commonName : commonName(inName: last.issuer)
    }

    /// Returns the common name in a distinguished name, or the whole name.
    private static func commonName(inName name: String) -> String {
        name.split(separator: ",").first { $0.hasPrefix("CN=") }.map { String($0.dropFirst(3)) } ?? name
    }
}
#endif
