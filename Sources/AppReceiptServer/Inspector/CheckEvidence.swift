#if Server
import AppReceiptKit
import AppReceiptSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The checks of a report on a receipt, each with its evidence.
struct CheckEvidence {
    private let report: ReceiptReport
    private let container: ReceiptContainer?
    private let input: InspectorInput
    private let inspection: Inspection

    init(_ report: ReceiptReport, _ container: ReceiptContainer?, _ input: InspectorInput, _ inspection: Inspection) {
        self.report = report
        self.container = container
        self.input = input
        self.inspection = inspection
    }

    var checks: [JSONValue] {
        report.checks.map { $0.json(evidence: evidence($0.check)) }
    }

    private func evidence(_ check: ValidationCheck) -> [Evidence] {
        switch check {
        case .container: containerEvidence
        case .payload: payloadEvidence
        case .certificateChain: chainEvidence
        case .signature: signatureEvidence
        default: report.receipt.map { comparison(check, $0) } ?? []
        }
    }

    private var containerEvidence: [Evidence] {
        var evidence: [Evidence] = []
        if let der = input.containerBytes {
            evidence.append(Evidence(name: "Size", found: "\(der.count) bytes of PKCS #7"))
        }
        if let container {
            evidence.append(
                Evidence(name: "Certificates", found: "\(container.certificates.count)", expected: "at most 6"))
        }
        return evidence
    }

    private var payloadEvidence: [Evidence] {
        guard let container else { return [] }
        var evidence = [Evidence(name: "Size", found: "\(container.content.count) bytes")]
        if let receipt = report.receipt {
            evidence.append(Evidence(name: "Attributes", found: "\(receipt.attributes.count)"))
            evidence.append(Evidence(name: "Purchases", found: "\(receipt.purchases.count)"))
        }
        return evidence
    }

    private var chainEvidence: [Evidence] {
        guard let date = report.validationDate else {
            return report.receipt == nil ? [] : [Evidence(name: "Creation date", found: nil, expected: "a date")]
        }
        let expected = "valid at \(ReceiptDate.string(from: date))"
        return report.certificates.filter { $0.role != .unused }.map { certificate in
            Evidence(
                name: certificate.commonName,
                found: Evidence.validity(of: certificate),
                expected: expected)
        }
    }

    private var signatureEvidence: [Evidence] {
        guard let container else { return [] }
        let signer = container.signer
        return [
            Evidence(name: "Digest", found: Self.name(signer.digestAlgorithm)),
            Evidence(name: "Signature", found: Self.name(signer.signatureAlgorithm)),
            Evidence(
                name: "Signed content",
                found: signer.signedAttributes == nil
                    ? "the payload, \(container.content.count) bytes" : "signed attributes with the payload's digest"),
        ]
    }

    private func comparison(_ check: ValidationCheck, _ receipt: AppReceipt) -> [Evidence] {
        let expected = inspection.request.expectations
        switch check {
        case .bundleIdentifier:
            guard case .identifier(let identifier) = expected.bundleIdentifier else {
                return [Evidence(name: "Bundle identifier", found: receipt.bundleIdentifier)]
            }
            return [Evidence(name: "Bundle identifier", found: receipt.bundleIdentifier, expected: identifier)]
        case .environment:
            let names = inspection.request.environments.map(\.rawValue).joined(separator: " or ")
            return [
                Evidence(
                    name: "Environment", found: receipt.environment?.rawValue, expected: names.isEmpty ? nil : names)
            ]
        case .appVersion:
            return [Evidence(name: "Version", found: receipt.appVersion, expected: expected.appVersion)]
        case .originalAppVersion:
            return [
                Evidence(
                    name: "First version", found: receipt.originalAppVersion, expected: expected.originalAppVersion)
            ]
        case .deviceHash:
            return deviceEvidence(receipt)
        case .expiration:
            return [
                Evidence(
                    name: "Expires", found: receipt.expirationDate.map { ReceiptDate.string(from: $0) },
                    expected: receipt.expirationDate == nil
                        ? nil : "after \(ReceiptDate.string(from: inspection.now)), now")
            ]
        default:
            return []
        }
    }

    /// The hash in the receipt, and the hashes of the first 16 requested devices.
    private func deviceEvidence(_ receipt: AppReceipt) -> [Evidence] {
        let found = receipt.deviceHash.map(Self.hex)
        guard case .oneOf(let devices) = inspection.request.expectations.devices, let opaque = receipt.opaqueValue,
            let bundle = receipt.bundleIdentifierBytes
        else { return [Evidence(name: "Device hash", found: found)] }
        return devices.prefix(16).enumerated().map { index, device in
            Evidence(
                name: devices.count > 1 ? "Device \(index + 1)" : "Device hash", found: found,
                expected: device.hash(opaqueValue: opaque, bundleIdentifierBytes: bundle).hexadecimal())
        }
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// The usual name of an algorithm, or its object identifier.
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
#endif
