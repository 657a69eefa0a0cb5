package import AppReceiptParsing
import AppReceiptSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// The messages of the checks that receipts and signed data have in common.

extension DataValidation {
    /// The message for a bundle identifier that passed.
    package var bundleIdentifierMessage: String {
        String(joining: "The ", Self.wording.noun, " is for ", claimedBundleIdentifier ?? "this app", ".")
    }

    /// The message for an environment that passed.
    package var environmentMessage: String {
        String(
            joining: "The ", Self.wording.noun, " comes from ", claimedEnvironmentName ?? "an accepted environment", "."
        )
    }

    /// The message for a valid chain.
    package var chainMessage: String {
        guard let chain, let validationDate else { return "The chain is trusted." }
        var message =
            if let anchor = chain.anchorName {
                String(
                    joining: "The signer chains to ", anchor, " and every certificate was valid at ",
                    ReceiptDate.string(from: validationDate), ", when ", Self.wording.signing, ".")
            } else {
                "The signer is a trusted Xcode certificate. This proves nothing about a purchase."
            }
        if validationDate > now { message += " This date is in the future, so one of the clocks is wrong." }
        return message
    }

    /// The message for a check that both kinds of data have and that wasn't requested.
    package func sharedNotRequestedMessage(_ check: ValidationCheck) -> String {
        let (noun, article) = (Self.wording.noun, Self.wording.article)
        return switch check {
        case .bundleIdentifier:
            String(joining: "No bundle identifier is expected, so ", article, noun, " for any app passes.")
        case .environment:
            String(
                joining: "No environment is expected, so ", article, "sandbox ", noun, " passes like ", article,
                "production ", noun, ".")
        case .deviceHash, .deviceVerification:
            String(joining: "No device is expected, so ", article, noun, " copied from another device passes.")
        default: "Not requested."
        }
    }

    /// The message for an error that both kinds of data have, with the actual and expected values unless they identify the customer.
    package func sharedFailureMessage(_ error: ReceiptError) -> String {
        let noun = Self.wording.noun
        switch error.code {
        case .bundleIdentifierMismatch:
            guard case .identifier(let expected) = expectedBundleIdentifier else { return error.message }
            return "The \(noun) is for \(quoted(claimedBundleIdentifier)), not for \(quoted(expected))."
        case .environmentUnknown:
            return "The \(noun) comes from \(quoted(claimedEnvironmentName)), an unknown environment."
        case .signerExpired, .signerNotYetValid, .intermediateExpired, .intermediateNotYetValid, .anchorExpired,
            .anchorNotYetValid:
            guard let validationDate else { return error.message }
            return "\(error.message.dropLast()), \(ReceiptDate.string(from: validationDate))."
        default:
            return error.messageWithOffset
        }
    }

    /// The text in quotation marks, so that spaces at its ends are visible.
    package func quoted(_ text: String?) -> String { "“\(text ?? "")”" }
}
