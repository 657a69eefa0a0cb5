#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport

/// The checks of a report on a receipt, each with the facts behind it.
struct CheckFacts {
    private let report: ReceiptReport
    private let container: ReceiptContainer?
    private let input: InspectorInput
    private let inspection: Inspection

    init(
        _ report: ReceiptReport, container: ReceiptContainer?, input: InspectorInput, inspection: Inspection
    ) {
        self.report = report
        self.container = container
        self.input = input
        self.inspection = inspection
    }

    var checks: [AppStoreJSON] {
        report.checks.map { $0.json(facts: facts(about: $0.check)) }
    }

    private func facts(about check: ValidationCheck) -> [CheckFact] {
        switch check {
        case .container: containerFacts
        case .payload: payloadFacts
        case .certificateChain: ChainFacts(report, roots: inspection.roots).facts
        case .signature: report.checks.contains { $0.check == check && $0.outcome == .skipped } ? [] : signatureFacts
        default: report.receipt.map { comparison(check, of: $0) } ?? []
        }
    }

    private var containerFacts: [CheckFact] {
        var facts: [CheckFact] = []
        if let der = input.containerBytes {
            facts.append(CheckFact(name: "Size", found: "\(der.count) bytes of PKCS #7"))
        }
        if let container {
            facts.append(
                CheckFact(name: "Certificates", found: "\(container.certificates.count)", expected: "at most 6"))
        }
        return facts
    }

    private var payloadFacts: [CheckFact] {
        guard let container else { return [] }
        var facts = [CheckFact(name: "Size", found: "\(container.content.count) bytes")]
        if let receipt = report.receipt {
            facts.append(CheckFact(name: "Attributes", found: "\(receipt.attributes.count)"))
            facts.append(CheckFact(name: "Purchases", found: "\(receipt.purchases.count)"))
        }
        return facts
    }

    private var signatureFacts: [CheckFact] {
        guard let container else { return [] }
        let signer = container.signer
        return [
            CheckFact(name: "Digest", found: Self.name(signer.digestAlgorithm)),
            CheckFact(name: "Signature", found: Self.name(signer.signatureAlgorithm)),
            CheckFact(
                name: "Signed content",
                found: signer.signedAttributes == nil
                    ? "the payload, \(container.content.count) bytes" : "signed attributes with the payload's digest"),
        ]
    }

    private func comparison(_ check: ValidationCheck, of receipt: AppReceipt) -> [CheckFact] {
        let expected = inspection.request.expectations
        switch check {
        case .bundleIdentifier:
            return [inspection.bundleFact(found: receipt.bundleIdentifier)]
        case .environment:
            return [inspection.environmentFact(found: receipt.environment?.rawValue)]
        case .appVersion:
            return [CheckFact(name: "Version", found: receipt.appVersion, expected: expected.appVersion)]
        case .originalAppVersion:
            return [
                CheckFact(
                    name: "Original version", found: receipt.originalAppVersion, expected: expected.originalAppVersion)
            ]
        case .deviceHash:
            return deviceFacts(receipt)
        case .expiration:
            return [
                CheckFact(
                    name: "Expires", found: receipt.expirationDate.map { ReceiptDate.string(from: $0) },
                    expected: receipt.expirationDate == nil
                        ? nil : "after \(ReceiptDate.string(from: inspection.now)), now")
            ]
        default:
            return []
        }
    }

    /// Returns the hash in the receipt, and the hash of each requested device.
    private func deviceFacts(_ receipt: AppReceipt) -> [CheckFact] {
        let found = receipt.deviceHash?.hexadecimal()
        guard let devices = inspection.request.expectations.devices.values, let opaque = receipt.opaqueValue,
            let bundle = receipt.bundleIdentifierBytes
        else { return [CheckFact(name: "Device hash", found: found)] }
        return devices.enumerated().map { index, device in
            CheckFact(
                name: devices.count > 1 ? "Device \(index + 1)" : "Device hash", found: found,
                expected: device.receiptHash(opaqueValue: opaque, bundleIdentifierBytes: bundle).hexadecimal())
        }
    }

    /// Returns the usual name of an algorithm, or its object identifier.
    private static func name(_ algorithm: AlgorithmIdentifier) -> String {
        switch algorithm.description {
        case "1.3.14.3.2.26": "SHA-1"
        case "2.16.840.1.101.3.4.2.1": "SHA-256"
        case "2.16.840.1.101.3.4.2.2": "SHA-384"
        case "2.16.840.1.101.3.4.2.3": "SHA-512"
        case "1.2.840.113549.1.1.1": "RSA"
        case "1.2.840.113549.1.1.5": "RSA with SHA-1"
        case "1.2.840.113549.1.1.11": "RSA with SHA-256"
        case "1.2.840.113549.1.1.12": "RSA with SHA-384"
        case "1.2.840.113549.1.1.13": "RSA with SHA-512"
        case let other: other
        }
    }
}

/// A fact behind a check: a value in the input and, if it was compared, the expected one.
struct CheckFact {
    let name: String
    let found: String?
    var expected: String?

    /// Returns the days on which a certificate is valid.
    static func validity(of certificate: CertificateSummary) -> String {
        let first = ReceiptDate.string(from: certificate.notBefore).prefix(10)
        return "valid \(first) to \(ReceiptDate.string(from: certificate.notAfter).prefix(10))"
    }

    var json: AppStoreJSON { ["name": .string(name), "found": .text(found), "expected": .text(expected)] }
}

extension CheckResult {
    /// Returns the result with its remedy, where it is documented, and its evidence.
    func json(facts: [CheckFact]) -> AppStoreJSON {
        AppStoreJSON { writer in
            write(to: &writer)
            writer.member("remedy", remedy)
            writer.member("documentation", documentationLink)
            writer.member("evidence", .array(facts.map(\.json)))
        }
    }
}
#endif
