public import AppReceiptFoundation
public import AppReceiptSupport

/// The Advanced Commerce data of a transaction or of renewal information. Source: Apple, advancedCommerceInfo.
///
/// A property is nil if the data doesn't contain it or if it can't be read.
public struct AdvancedCommerceInfo: Sendable, Hashable {
    /// All members as written, known and unknown.
    public let members: AppStoreJSON.Object

    /// The items that the customer bought.
    public let items: [Item]
    /// The description that the customer sees.
    public let description: String?
    /// The name that the customer sees.
    public let displayName: String?
    /// The duration of a period, as an ISO 8601 duration such as `P1M`.
    public let period: String?
    /// The developer's identifier of the request.
    public let requestReferenceIdentifier: String?
    /// The tax code.
    public let taxCode: String?
    /// The tax rate, as text such as `0.1`.
    public let taxRate: String?
    /// The price without tax, in thousandths of the currency's unit.
    public let taxExclusivePrice: Int64?
    /// The estimated tax, in thousandths of the currency's unit.
    public let estimatedTax: Int64?
    /// The token that requests about this state of the subscription contain.
    public let consistencyToken: String?

    init(_ claims: ClaimReader) {
        members = claims.members
        items = (try? claims.objects("items"))?.map { Item($0) } ?? []
        let descriptors = try? claims.object("descriptors")
        description = try? descriptors?.string("description")
        displayName = try? descriptors?.string("displayName")
        period = try? claims.string("period")
        requestReferenceIdentifier = try? claims.string("requestReferenceId")
        taxCode = try? claims.string("taxCode")
        taxRate = try? claims.string("taxRate")
        taxExclusivePrice = try? claims.integer("taxExclusivePrice")
        estimatedTax = try? claims.integer("estimatedTax")
        consistencyToken = try? claims.string("consistencyToken")
    }

    /// One of several things that the customer bought together.
    public struct Item: Sendable, Hashable {
        /// All members as written, known and unknown.
        public let members: AppStoreJSON.Object

        /// The developer's identifier of the item, `SKU` in the data.
        public let sku: String?
        /// The description that the customer sees.
        public let description: String?
        /// The name that the customer sees.
        public let displayName: String?
        /// The price, in thousandths of the currency's unit.
        public let price: Int64?
        /// The date of the revocation.
        public let revocationDate: Date?
        /// Whether the item was revoked: whether it has a date of revocation, readable or not.
        public let isRevoked: Bool
        /// The refunds of the item.
        public let refunds: [Refund]
        /// The developer's partners who provide the item.
        public let partners: [Partner]

        init(_ claims: ClaimReader) {
            members = claims.members
            sku = try? claims.string(anyOf: "SKU", "sku")
            description = try? claims.string("description")
            displayName = try? claims.string("displayName")
            price = try? claims.integer("price")
            revocationDate = try? claims.date("revocationDate")
            isRevoked = claims.contains("revocationDate")
            refunds = (try? claims.objects("refunds"))?.map { Refund($0) } ?? []
            partners = (try? claims.objects("partners"))?.map { Partner($0) } ?? []
        }
    }

    /// A refund of an item.
    public struct Refund: Sendable, Hashable {
        /// The amount, in thousandths of the currency's unit.
        public let amount: Int64?
        /// The date of the refund.
        public let date: Date?
        /// The reason, as written.
        public let reason: String?
        /// The kind of refund, as written: `FULL`, `PRORATED` or `CUSTOM`.
        public let type: String?

        init(_ claims: ClaimReader) {
            amount = try? claims.integer("refundAmount")
            date = try? claims.date("refundDate")
            reason = try? claims.string("refundReason")
            type = try? claims.string("refundType")
        }
    }

    /// A partner who provides an item.
    public struct Partner: Sendable, Hashable {
        /// The identifier.
        public let identifier: String?
        /// The name.
        public let name: String?

        init(_ claims: ClaimReader) {
            identifier = try? claims.string("id")
            name = try? claims.string("name")
        }
    }
}
