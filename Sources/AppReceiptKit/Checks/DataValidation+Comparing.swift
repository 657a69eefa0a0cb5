package import AppReceiptParsing

// The comparisons that receipts and signed data have in common.

extension DataValidation {
    /// Compares the bundle identifier with the expected one, byte by byte.
    package func compareBundleIdentifier() throws(ReceiptError) -> CheckStatus {
        guard case .identifier(let expected) = expectedBundleIdentifier else { return .notRequested }
        let noun = Self.wording.noun
        guard let actual = claimedBundleIdentifier else {
            throw ReceiptError(.bundleIdentifierMissing, "The \(noun) has no bundle identifier to compare.")
        }
        // Swift's equality ignores the normalization form, which distinguishes bundle identifiers.
        guard actual.utf8.elementsEqual(expected.utf8) else {
            throw ReceiptError(.bundleIdentifierMismatch, "The \(noun) is for another app than expected.")
        }
        return .passed
    }

    /// Compares the environment with the accepted ones.
    package func compareEnvironment() throws(ReceiptError) -> CheckStatus {
        guard case .only(let accepted) = expectedEnvironments else { return .notRequested }
        let noun = Self.wording.noun
        guard claimedEnvironmentName != nil else {
            throw ReceiptError(.environmentMissing, "The \(noun) has no environment to compare.")
        }
        guard let environment = claimedEnvironment else {
            throw ReceiptError(.environmentUnknown, "The \(noun) comes from an unknown environment.")
        }
        guard accepted.contains(environment) else {
            guard !accepted.isEmpty else {
                throw ReceiptError(.environmentMismatch, "The expectations accept no environment.")
            }
            let names = accepted.map(\.rawValue).sorted().joined(separator: " or ")
            throw ReceiptError(
                .environmentMismatch, "The \(noun) comes from \(quoted(claimedEnvironmentName)), not from \(names).")
        }
        return .passed
    }
}
