import AppReceiptKit
import AppReceiptSupport

extension SignedDataKind {
    /// The kind that the members of a token's payload indicate, even if the token is invalid otherwise.
    package init?(ofToken token: String, limits: SignedDataLimits) {
        guard let token = try? JWS(ArraySlice(token.utf8), limits: limits),
            let members = try? token.members(limits: limits)
        else { return nil }
        self.init(of: members)
    }
}
