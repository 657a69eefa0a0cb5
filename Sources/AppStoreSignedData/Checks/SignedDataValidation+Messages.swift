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
        case .bundleIdentifier: return "The data is for \(claims?.bundleIdentifier ?? "this app")."
        case .environment: return "The data comes from \(claims?.environment?.rawValue ?? "an accepted environment")."
        case .appAppleIdentifier: return "The data is for the app number \(claims?.appAppleIdentifier ?? 0)."
        case .deviceVerification: return "The data was signed for this device."
        case .nestedData:
            let names = [
                nested.transaction.map { _ in "the transaction" },
                nested.renewalInfo.map { _ in "the renewal information" },
                nested.appTransaction.map { _ in "the app transaction" },
            ].compactMap { $0 }
            return "Verified, and for the same app: \(names.joined(separator: " and "))."
        case .container, .appVersion, .originalAppVersion, .deviceHash, .expiration:
            return notApplicableMessage(check)
        }
    }

    private var chainMessage: String {
        guard let chain, let signedDate = claims?.signedDate else { return "The chain is trusted." }
        let date = ReceiptDate.string(from: signedDate)
        var message =
            if let anchor = chain.anchor {
                "The signer chains to \(CertificateSummary(anchor, role: .anchor).commonName) "
                    + "and every certificate was valid at \(date), when the token was signed."
            } else {
                "The signer is the trusted Xcode certificate. This proves nothing about a purchase."
            }
        if signedDate > now { message += " That is in the future, so one of the clocks is wrong." }
        return message
    }

    func notRequestedMessage(_ check: ValidationCheck) -> String {
        switch check {
        case .bundleIdentifier: "No bundle identifier was given: data for any app passes."
        case .environment: "No environment was given: sandbox data passes too."
        case .appAppleIdentifier: "The app's number in the App Store was not given."
        case .deviceVerification: "No device was given: data copied from another device passes."
        default: "Not requested."
        }
    }

    func notApplicableMessage(_ check: ValidationCheck) -> String {
        switch check {
        case .bundleIdentifier: "Renewal information doesn't name an app. A transaction of the same subscription does."
        case .appAppleIdentifier: "Only notifications and app transactions from production contain the app's number."
        case .deviceVerification: "Notifications aren't signed for a device."
        case .nestedData: "The data doesn't contain other signed data."
        default: "Not applicable to this kind of data."
        }
    }

    /// The error's message, with the actual and expected values unless they identify the customer.
    func failureMessage(_ check: ValidationCheck, _ error: ReceiptError) -> String {
        // The error of nested data already describes its contents.
        guard error.stage != .nestedData else { return error.message }
        switch error.code {
        case .bundleIdentifierMismatch:
            guard case .identifier(let expected) = expectations.bundleIdentifier else { return error.message }
            return "The data is for “\(claims?.bundleIdentifier ?? "")”, not for “\(expected)”."
        case .environmentUnknown:
            return "The data comes from “\(claims?.environment?.rawValue ?? "")”, an unknown environment."
        case .environmentMismatch:
            guard case .only(let accepted) = expectations.environments else { return error.message }
            guard !accepted.isEmpty else { return "The expectations accept no environment." }
            let names = accepted.map(\.rawValue).sorted().joined(separator: " or ")
            return "The data comes from “\(claims?.environment?.rawValue ?? "")”, not from \(names)."
        case .appAppleIdentifierMismatch:
            guard case .identifier(let expected) = expectations.appAppleIdentifier else { return error.message }
            return "The data is for the app number \(claims?.appAppleIdentifier ?? 0), not \(expected)."
        case .signerExpired, .signerNotYetValid, .intermediateExpired, .intermediateNotYetValid, .anchorExpired,
            .anchorNotYetValid:
            guard let date = claims?.signedDate else { return error.message }
            return "\(Self.invalidity(error.code)) valid when the token was signed, \(ReceiptDate.string(from: date))."
        default:
            return error.messageWithOffset
        }
    }

    private static func invalidity(_ code: ReceiptError.Code) -> String {
        switch code {
        case .signerExpired: "The signer's certificate was no longer"
        case .signerNotYetValid: "The signer's certificate was not yet"
        case .intermediateExpired: "The intermediate certificate was no longer"
        case .intermediateNotYetValid: "The intermediate certificate was not yet"
        case .anchorExpired: "The trust anchor was no longer"
        default: "The trust anchor was not yet"
        }
    }
}
