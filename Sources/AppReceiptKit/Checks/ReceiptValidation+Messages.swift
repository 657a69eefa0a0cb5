import AppReceiptParsing
import AppReceiptSupport

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
                switch inputFormat {
                case .base64: "base64 of a PKCS #7 container"
                case .pem: "PEM of a PKCS #7 container"
                case .ber: "a PKCS #7 container in BER"
                default: "a PKCS #7 container"
                }
            let count = container?.certificates.count ?? 0
            return String(
                joining: "The input is ", form, " with one signer and ", "\(count)",
                count == 1 ? " certificate." : " certificates.")
        case .payload:
            let attributes = receipt?.value.attributes.count ?? 0
            let purchases = receipt?.value.purchases.count ?? 0
            return String(
                joining: "The payload contains ", "\(attributes)", attributes == 1 ? " attribute" : " attributes",
                " and ",
                purchases == 0 ? "no" : "\(purchases)", purchases == 1 ? " purchase." : " purchases.")
        case .certificateChain:
            return chainMessage
        case .signature:
            return "The signer signed exactly this content."
        case .bundleIdentifier:
            return bundleIdentifierMessage
        case .environment:
            return environmentMessage
        case .appVersion:
            return String(joining: "The receipt is for version ", receipt?.value.appVersion ?? "", ".")
        case .originalAppVersion:
            return String(joining: "The app was first bought in version ", receipt?.value.originalAppVersion ?? "", ".")
        case .deviceHash:
            guard case .oneOf(let devices) = expectations.devices, devices.count > 1,
                let index = devices.firstIndex(where: { $0 == device })
            else { return "The receipt was created for this device." }
            return "The receipt was created for this device (identifier \(index + 1) of \(devices.count))."
        case .expiration:
            return receipt?.value.expirationDate.map { "The receipt expires \(ReceiptDate.string(from: $0))." }
                ?? "The receipt doesn't expire."
        case .token, .appAppleIdentifier, .deviceVerification, .nestedData:
            return "Not applicable to receipts."
        }
    }

    func notRequestedMessage(_ check: ValidationCheck) -> String {
        switch check {
        case .appVersion: "No app version is expected."
        case .originalAppVersion: "No original app version is expected."
        default: sharedNotRequestedMessage(check)
        }
    }

    /// Every check applies to receipts.
    func notApplicableMessage(_ check: ValidationCheck) -> String { "Not applicable to receipts." }

    /// The error's message, with the actual and expected values unless they identify the customer.
    func failureMessage(_ check: ValidationCheck, _ error: ReceiptError) -> String {
        switch error.code {
        case .appVersionMismatch:
            return
                "The receipt is for version \(quoted(receipt?.value.appVersion)), not \(quoted(expectations.appVersion))."
        case .originalAppVersionMismatch:
            return "The app was first bought in version \(quoted(receipt?.value.originalAppVersion)), "
                + "not \(quoted(expectations.originalAppVersion))."
        case .receiptExpired:
            guard let date = receipt?.value.expirationDate else { return error.message }
            return "The receipt expired \(ReceiptDate.string(from: date))."
        default:
            return sharedFailureMessage(error)
        }
    }
}
