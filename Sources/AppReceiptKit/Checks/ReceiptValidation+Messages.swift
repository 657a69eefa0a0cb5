import AppReceiptParsing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// The messages of the results in a report.

extension ReceiptValidation {
    func passedMessage(_ check: ValidationCheck) -> String {
        switch check {
        case .container:
            let form =
                switch input?.format {
                case .base64: "base64 of a PKCS #7 container"
                case .pem: "PEM of a PKCS #7 container"
                case .ber: "a PKCS #7 container in BER"
                default: "a PKCS #7 container"
                }
            let count = container?.certificates.count ?? 0
            return "The input is \(form) with one signer and \(count) certificate\(count == 1 ? "" : "s")."
        case .payload:
            let count = receipt?.purchases.count ?? 0
            return "The payload contains \(receipt?.attributes.count ?? 0) attributes, "
                + "\(count == 0 ? "none" : "\(count)") of them \(count == 1 ? "a purchase" : "purchases")."
        case .certificateChain:
            return chainMessage
        case .signature:
            return "The signer signed exactly this content."
        case .bundleIdentifier:
            return "The receipt is for \(receipt?.bundleIdentifier ?? "this app")."
        case .environment:
            return "The receipt comes from \(receipt?.environment?.rawValue ?? "an accepted environment")."
        case .appVersion:
            return "The receipt is for version \(receipt?.appVersion ?? "")."
        case .originalAppVersion:
            return "The app was first bought in version \(receipt?.originalAppVersion ?? "")."
        case .deviceHash:
            guard case .oneOf(let devices) = expectations.devices, devices.count > 1,
                let index = devices.firstIndex(where: { $0 == device })
            else { return "The receipt was created for this device." }
            return "The receipt was created for this device (identifier \(index + 1) of \(devices.count))."
        case .expiration:
            return receipt?.expirationDate.map { "The receipt expires \(ReceiptDate.string(from: $0))." }
                ?? "The receipt does not expire."
        case .token, .appAppleIdentifier, .deviceVerification, .nestedData:
            return "Not applicable to receipts."
        }
    }

    private var chainMessage: String {
        guard let chain, let creationDate = receipt?.creationDate else { return "The chain is trusted." }
        let date = ReceiptDate.string(from: creationDate)
        var message =
            if let anchor = chain.anchor {
                "The signer chains to \(CertificateSummary(anchor, role: .anchor).commonName) "
                    + "and every certificate was valid at \(date), when the receipt was created."
            } else {
                "The signer is a trusted Xcode certificate. This proves nothing about a purchase."
            }
        if creationDate > now {
            message += " This date is in the future, so the clock of this system or of the receipt's creator is wrong."
        }
        return message
    }

    func notRequestedMessage(_ check: ValidationCheck) -> String {
        switch check {
        case .bundleIdentifier: "No bundle identifier is expected, so a receipt of any app passes."
        case .environment: "No environment is expected, so a sandbox receipt passes like a production receipt."
        case .appVersion: "No app version is expected."
        case .originalAppVersion: "No original app version is expected."
        case .deviceHash: "No device is expected, so a receipt copied from another device passes."
        default: "Not requested."
        }
    }

    /// Every check applies to receipts.
    func notApplicableMessage(_ check: ValidationCheck) -> String { "Not applicable to receipts." }

    /// The error's message, with the actual and expected values unless they identify the customer.
    func failureMessage(_ check: ValidationCheck, _ error: ReceiptError) -> String {
        switch error.code {
        case .bundleIdentifierMismatch:
            guard case .identifier(let expected) = expectations.bundleIdentifier else { return error.message }
            return "The receipt is for \(quoted(receipt?.bundleIdentifier)), not for \(quoted(expected))."
        case .environmentUnknown:
            return "The receipt comes from \(quoted(receipt?.environment?.rawValue)), an unknown environment."
        case .environmentMismatch:
            guard case .only(let accepted) = expectations.environments else { return error.message }
            guard !accepted.isEmpty else { return "The expectations accept no environment." }
            let names = accepted.map(\.rawValue).sorted().joined(separator: " or ")
            return "The receipt comes from \(quoted(receipt?.environment?.rawValue)), not from \(names)."
        case .appVersionMismatch:
            return "The receipt is for version \(quoted(receipt?.appVersion)), not \(quoted(expectations.appVersion))."
        case .originalAppVersionMismatch:
            return "The app was first bought in version \(quoted(receipt?.originalAppVersion)), "
                + "not \(quoted(expectations.originalAppVersion))."
        case .receiptExpired:
            guard let date = receipt?.expirationDate else { return error.message }
            return "The receipt expired \(ReceiptDate.string(from: date))."
        case .signerExpired, .signerNotYetValid, .intermediateExpired, .intermediateNotYetValid, .anchorExpired,
            .anchorNotYetValid:
            guard let date = receipt?.creationDate else { return error.message }
            return "\(error.message.dropLast()), \(ReceiptDate.string(from: date))."
        default:
            return error.messageWithOffset
        }
    }

    /// The text in quotation marks, so that spaces at its ends are visible.
    private func quoted(_ text: String?) -> String { "“\(text ?? "")”" }
}
