public import AppReceiptSupport

/// The seats of a subscription that the customer bought for several people. Source: Apple, multiSeatInfo.
///
/// Several transactions may contain seats of one period: none of them replaces another. A property is nil if the data
/// doesn't contain it or if it can't be read.
public struct MultiSeatInfo: Sendable, Hashable {
    /// All members as written, known and unknown.
    public let members: AppStoreJSON.Object

    /// The person who invites the members of the group.
    public let invitationManagement: InvitationManagement?
    /// The prices of a seat by quantity; those of the next period in renewal information.
    public let priceTiers: [PriceTier]?
    /// The number of this transaction's seats that were revoked.
    public let revokedSeatQuantity: Int64?

    init(_ claims: ClaimReader) {
        members = claims.members
        invitationManagement = try? claims.value("invitationManagement")
        priceTiers = (try? claims.objects("priceTiers") ?? claims.objects("renewalPriceTiers"))?.map { PriceTier($0) }
        revokedSeatQuantity = try? claims.integer("revokedSeatQuantity")
    }

    /// A price that applies to a number of seats.
    public struct PriceTier: Sendable, Hashable {
        /// The price of a seat, in thousandths of the currency's unit.
        public let price: Int64?
        /// The number of seats.
        public let quantity: Int64?

        init(_ claims: ClaimReader) {
            price = try? claims.integer("price")
            quantity = try? claims.integer("quantity")
        }
    }

    /// The person who invites the members of a group.
    public struct InvitationManagement: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The text in the data.
        public let rawValue: String
        /// Creates a value with any text, known or unknown.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The text in the data.
        public var description: String { rawValue }

        /// Apple: every member has a transaction with the ownership `ASSIGNED`.
        public static let apple = Self(rawValue: "APPLE")
        /// The developer: members don't have transactions.
        public static let developer = Self(rawValue: "DEVELOPER")
    }
}
