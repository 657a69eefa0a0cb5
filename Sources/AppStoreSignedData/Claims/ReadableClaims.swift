import AppReceiptKit
import AppReceiptSupport

/// Claims that can be created from members.
protocol ReadableClaims: SignedClaims {
    /// - Throws: `token-claim-malformed` if a member that a decision depends on has the wrong type or value. Other unreadable members
    ///   are nil, and are available in ``SignedClaims/members``.
    init(_ members: JSONObject) throws(ReceiptError)

    /// Whether these members are specific to this kind of data.
    static func matches(_ members: JSONObject) -> Bool

    /// Verified data of this kind.
    associatedtype Verified: Sendable = VerifiedData<Self>

    /// Combines verified data with the verified data in it.
    static func verified(_ data: VerifiedData<Self>, with nested: NestedData) -> Verified
}

extension ReadableClaims where Verified == VerifiedData<Self> {
    /// Returns the data itself, because only notifications contain nested data.
    static func verified(_ data: VerifiedData<Self>, with nested: NestedData) -> VerifiedData<Self> { data }
}
