package import AppStoreSignedData

extension VerifiedTransaction {
    /// Whether this copy replaces another one of the same transaction: it was signed later, or at the same time with a
    /// revocation. Otherwise the tokens are compared, so that the order of arrival has no effect.
    package func isNewer(than other: VerifiedTransaction) -> Bool {
        if signedDate != other.signedDate { return signedDate > other.signedDate }
        let (revoked, otherRevoked) = (claims.revocationDate != nil, other.claims.revocationDate != nil)
        return revoked == otherRevoked ? token > other.token : revoked
    }
}
