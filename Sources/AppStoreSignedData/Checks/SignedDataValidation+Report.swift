import AppReceiptKit
import AppReceiptSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// What a report says of each check, in words.

extension SignedDataValidation {
    /// Makes every check and says what came of it.
    consuming func report() -> SignedDataReport {
        var findings: [SignedDataReport.CheckResult] = []
        var failure: ReceiptError?
        for check in SignedDataCheck.allCases {
            do throws(ReceiptError) {
                findings.append(finding(check, try run(check)))
            } catch {
                failure = failure ?? error
                findings.append(finding(check, error))
            }
        }
        // As for receipts: nothing is valid without what makes it verified.
        if failure == nil {
            do throws(ReceiptError) { _ = try verified() } catch { failure = error }
        }
        return SignedDataReport(
            kind: members.flatMap { SignedDataKind(of: $0) }, failure: failure, checks: findings, payload: members,
            nested: nestedMembers, certificates: certificates, signedDate: claims?.signedDate,
            provenEnvironment: isSignatureValid ? (chain?.isXcode == true ? .xcode : claims?.environment?.base) : nil)
    }

    private var certificates: [CertificateSummary] {
        let named = header?.summaries ?? []
        guard let chain else { return named }
        guard let anchor = chain.anchor else { return [CertificateSummary(chain.signer, role: .xcode)] }
        return named + [CertificateSummary(anchor, role: .anchor)]
    }

    /// What the tokens in a notification say, verified or not.
    private var nestedMembers: [String: JSONObject] {
        guard let notification = claims as? NotificationClaims else { return [:] }
        var tokens: [(String, String?)] = []
        switch notification.subject {
        case .data(let data):
            tokens = [("signedTransactionInfo", data.transaction), ("signedRenewalInfo", data.renewalInfo)]
        case .appData(let data): tokens = [("signedAppTransactionInfo", data.appTransaction)]
        default: break
        }
        var nested: [String: JSONObject] = [:]
        for (name, token) in tokens {
            guard let token else { continue }
            nested[name] = (try? UnverifiedSignedData(parsing: token))?.claims.members
        }
        return nested
    }

    private func finding(_ check: SignedDataCheck, _ outcome: Outcome) -> SignedDataReport.CheckResult {
        func skipped(_ code: String, _ message: String) -> SignedDataReport.CheckResult {
            SignedDataReport.CheckResult(check: check, outcome: .skipped, code: code, message: message, remedy: nil)
        }
        switch outcome {
        case .passed:
            return SignedDataReport.CheckResult(
                check: check, outcome: .passed, code: nil, message: passedMessage(check), remedy: nil)
        case .notRequested: return skipped("not-requested", notRequestedMessage(check))
        case .notApplicable: return skipped("not-applicable", notApplicableMessage(check))
        case .notReached: return skipped("not-reached", "Not possible, because an earlier check failed.")
        }
    }

    private func finding(_ check: SignedDataCheck, _ error: ReceiptError) -> SignedDataReport.CheckResult {
        SignedDataReport.CheckResult(
            check: check, outcome: .failed, code: error.code.rawValue, message: failedMessage(error),
            remedy: error.remedy)
    }

    private func passedMessage(_ check: SignedDataCheck) -> String {
        switch check {
        case .token:
            let count = header?.isAlone == true ? "one certificate" : "three certificates"
            return "The token is a JWS with ES256 and \(count)."
        case .payload: return "The payload is \(Claims.kind.inWords) with \(members?.members.count ?? 0) members."
        case .certificateChain: return chainMessage
        case .signature: return "The signer signed exactly this token."
        case .bundleIdentifier: return "The data is for \(claims?.bundleIdentifier ?? "this app")."
        case .environment: return "The data comes from \(claims?.environment?.rawValue ?? "an accepted environment")."
        case .appAppleIdentifier: return "The data is for the App Store's number \(claims?.appAppleIdentifier ?? 0)."
        case .deviceVerification: return "The data was signed for this device."
        case .nestedData:
            let names = [
                nested.transaction.map { _ in "the transaction" },
                nested.renewalInfo.map { _ in "the renewal information" },
                nested.appTransaction.map { _ in "the app transaction" },
            ].compactMap { $0 }
            return "Signed by itself and of this app: \(names.joined(separator: " and "))."
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
                "The signer is the Xcode certificate that was named as trusted. This proves nothing about a purchase."
            }
        if signedDate > now { message += " That is in the future: some clock is wrong." }
        return message
    }

    private func notRequestedMessage(_ check: SignedDataCheck) -> String {
        switch check {
        case .bundleIdentifier: "No bundle identifier was given: data of any app passes."
        case .environment: "No environment was given: sandbox data passes like real data."
        case .appAppleIdentifier: "No number of the app was given."
        case .deviceVerification: "No device was given: data copied from another device passes."
        default: "Not asked for."
        }
    }

    private func notApplicableMessage(_ check: SignedDataCheck) -> String {
        switch check {
        case .bundleIdentifier: "Renewal information names no app: a transaction of the same line does."
        case .appAppleIdentifier: "Only notifications and app transactions from production name the app's number."
        case .deviceVerification: "Notifications are signed for no device."
        case .nestedData: "There is no signed data inside."
        default: "Not possible for this kind of data."
        }
    }

    /// The error's message, with what was found and expected where that is no secret of the customer's.
    private func failedMessage(_ error: ReceiptError) -> String {
        // What is inside of a notification says for itself what is wrong with it.
        guard error.stage != .nestedData else { return error.message }
        switch error.code {
        case .bundleIdentifierMismatch:
            guard case .identifier(let expected) = expectations.bundleIdentifier else { return error.message }
            return "The data is for “\(claims?.bundleIdentifier ?? "")”, not for “\(expected)”."
        case .environmentUnknown:
            return "The data comes from “\(claims?.environment?.rawValue ?? "")”, an environment that is not known."
        case .environmentMismatch:
            guard case .only(let accepted) = expectations.environments else { return error.message }
            guard !accepted.isEmpty else { return "No environment is accepted at all." }
            let names = accepted.map(\.rawValue).sorted().joined(separator: " or ")
            return "The data comes from “\(claims?.environment?.rawValue ?? "")”, not from \(names)."
        case .appAppleIdentifierMismatch:
            guard case .identifier(let expected) = expectations.appAppleIdentifier else { return error.message }
            return "The data is for the App Store's number \(claims?.appAppleIdentifier ?? 0), not \(expected)."
        case .signerExpired, .signerNotYetValid, .intermediateExpired, .intermediateNotYetValid, .anchorExpired,
            .anchorNotYetValid:
            guard let date = claims?.signedDate else { return error.message }
            return "\(Self.sentence(error.code)) valid when the token was signed, \(ReceiptDate.string(from: date))."
        default:
            guard let offset = error.offset else { return error.message }
            return "\(error.message.dropLast()) (at byte \(offset))."
        }
    }

    private static func sentence(_ code: ReceiptError.Code) -> String {
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
