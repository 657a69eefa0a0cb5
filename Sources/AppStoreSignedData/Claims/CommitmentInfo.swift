public import AppReceiptFoundation
public import AppReceiptSupport

/// The commitment to several billing periods of which a transaction is one. Source: Apple, commitmentInfo.
///
/// A property is nil if the data doesn't contain it or if it can't be read.
public struct CommitmentInfo: Sendable, Hashable {
    /// All members as written, known and unknown.
    public let members: AppStoreJSON.Object

    /// The number of this billing period; the first is 1.
    public let billingPeriodNumber: Int64?
    /// The number of billing periods that the customer committed to.
    public let totalBillingPeriods: Int64?
    /// The end of the commitment.
    public let expirationDate: Date?
    /// The price of the whole commitment, in thousandths of the currency's unit.
    public let price: Int64?

    init(_ claims: ClaimReader) {
        members = claims.members
        billingPeriodNumber = try? claims.integer("billingPeriodNumber")
        totalBillingPeriods = try? claims.integer("totalBillingPeriods")
        expirationDate = try? claims.date("commitmentExpiresDate")
        price = try? claims.integer("commitmentPrice")
    }
}

/// The commitment that follows the current one. Source: Apple, commitmentInfo of renewal information.
///
/// A property is nil if the data doesn't contain it or if it can't be read.
public struct RenewalCommitmentInfo: Sendable, Hashable {
    /// All members as written, known and unknown.
    public let members: AppStoreJSON.Object

    /// The product of the next commitment.
    public let autoRenewProductIdentifier: String?
    /// Whether a commitment follows the current one.
    public let autoRenewStatus: AutoRenewStatus?
    /// The billing plan of the next commitment.
    public let billingPlanType: BillingPlanType?
    /// The beginning of the next commitment.
    public let renewalDate: Date?
    /// The price of the next commitment, in thousandths of the currency's unit.
    public let price: Int64?

    init(_ claims: ClaimReader) {
        members = claims.members
        autoRenewProductIdentifier = try? claims.string("commitmentAutoRenewProductId")
        autoRenewStatus = try? claims.value("commitmentAutoRenewStatus")
        billingPlanType = try? claims.value("commitmentRenewalBillingPlanType")
        renewalDate = try? claims.date("commitmentRenewalDate")
        price = try? claims.integer("commitmentRenewalPrice")
    }
}
