#if Server
/// The account to which an original transaction is bound.
///
/// The newest signed `appAccountToken` determines the account; without one, the first account that submitted the
/// purchase. An `appAccountToken` is a UUID, so an account with another name never owns a purchase that has one.
struct AccountBinding: Sendable, Hashable {
    /// The newest signed `appAccountToken`.
    var token: String?
    /// The date it was signed.
    var tokenSigned: Int64 = 0
    /// The account that submitted the purchase first, or that the back end named since.
    var account: String?

    /// The account that owns the original transaction (rule 9 of WhatACustomerOwns).
    var owner: String? { token ?? account }

    /// An `appAccountToken`, and the date it was signed.
    struct SignedToken: Sendable {
        let account: Account
        let signed: Int64
    }

    /// Whether the original transaction belongs to an account.
    func isOwned(by account: Account) -> Bool { owner.map { account.matches($0) } ?? false }

    /// Binds the original transaction to the account in signed data, and to the first account that submits it.
    ///
    /// - Parameters:
    ///   - submitter: The account that submits the purchase; nil for notifications.
    ///   - signed: The signed `appAccountToken`; nil for none.
    /// - Returns: Whether the purchase belongs to an account other than the one that submits it.
    mutating func bind(to submitter: Account?, appAccountToken signed: SignedToken?) -> Bool {
        if let signed { merge(signed.account.stored, signed: signed.signed) }
        guard let submitter else { return false }
        if let owner, !submitter.matches(owner) { return true }
        account = account ?? submitter.stored
        return false
    }

    /// Binds the original transaction to an account instead of the one that submitted it.
    ///
    /// - Returns: False if a signed `appAccountToken` of another account owns it.
    mutating func rebind(to account: Account) -> Bool {
        if token == nil, !isOwned(by: account) { self.account = account.stored }
        return isOwned(by: account)
    }

    /// Takes the token of another binding if it is newer.
    mutating func mergeToken(of other: AccountBinding) {
        if let token = other.token { merge(token, signed: other.tokenSigned) }
    }

    /// Replaces the token with a newer one. If the dates are equal, the larger token wins, so that the order of arrival
    /// has no effect.
    private mutating func merge(_ name: String, signed date: Int64) {
        if let token {
            if tokenSigned > date { return }
            if tokenSigned == date, token >= name { return }
        }
        token = name
        tokenSigned = date
    }
}
#endif
