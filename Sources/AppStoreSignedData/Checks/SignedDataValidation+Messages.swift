import AppReceiptKit
import AppReceiptSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// The messages of the results in a report.

extension SignedDataValidation {
    func passedMessage(_ check: ValidationCheck) -> String {
        switch check {
        case .token:
            let count = header?.hasSingleCertificate == true ? "one certificate" : "three certificates"
            return "The token is a JWS with ES256 and \(count)."
        case .payload:
            return "The payload is \(Claims.kind.nameWithArticle) with \(members?.members.count ?? 0) members."
        case .certificateChain: return chainMessage
        case .signature: return "The signer signed exactly this token."
        case .bundleIdentifier: return bundleIdentifierMessage
        case .environment: return environmentMessage
        case .appAppleIdentifier:
            return "The data is for the app with the App Store identifier \(claims?.appAppleIdentifier ?? 0)."
        case .deviceVerification: return "The data was signed for this device."
        case .nestedData:
            let names = [
                nested.transaction.map { _ in "the transaction" },
                nested.renewalInfo.map { _ in "the renewal information" },
                nested.appTransaction.map { _ in "the app transaction" },
            ].compactMap { $0 }
            let subject = names.joined(separator: " and ")
            return
                "\(subject.prefix(1).uppercased())\(subject.dropFirst()) \(names.count == 1 ? "is" : "are") valid and for the same app."
        case .container, .appVersion, .originalAppVersion, .deviceHash, .expiration:
            return notApplicableMessage(check)
        }
    }

    func notRequestedMessage(_ check: ValidationCheck) -> String {
        switch check {
        case .appAppleIdentifier: "No App Store identifier is expected, so data for any app passes."
        default: sharedNotRequestedMessage(check)
        }
    }

    func notApplicableMessage(_ check: ValidationCheck) -> String {
        switch check {
        case .bundleIdentifier where Claims.kind == .notification:
            "The notification is about something that isn't known yet, and doesn't name an app."
        case .environment: "The notification is about something that isn't known yet, and doesn't name an environment."
        case .bundleIdentifier where Claims.kind == .realtimeRequest:
            "Realtime requests have no bundle identifier. Those from production contain the App Store identifier."
        case .bundleIdentifier: "Renewal information doesn't name an app. A transaction of the same subscription does."
        case .appAppleIdentifier:
            "Only notifications, app transactions and realtime requests from production contain the App Store identifier."
        case .deviceVerification: "Notifications and realtime requests aren't signed for a device."
        case .nestedData: "The data doesn't contain other signed data."
        default: "Not applicable to this kind of data."
        }
    }

    /// The error's message, with the actual and expected values unless they identify the customer.
    func failureMessage(_ check: ValidationCheck, _ error: ReceiptError) -> String {
        // The error of nested data already describes its contents.
        guard error.stage != .nestedData else { return error.message }
        switch error.code {
        case .appAppleIdentifierMismatch:
            guard case .identifier(let expected) = expectations.appAppleIdentifier else { return error.message }
            return
                "The data is for the app with the App Store identifier \(claims?.appAppleIdentifier ?? 0), not \(expected)."
        default:
            return sharedFailureMessage(error)
        }
    }
}
