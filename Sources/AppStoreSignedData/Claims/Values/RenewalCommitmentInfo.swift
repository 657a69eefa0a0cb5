public import AppReceiptSupport

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The commitment that follows the current one. Source: Apple, commitmentInfo of renewal information.
///
/// A property is nil if the data doesn't contain it or if it can't be read.
public struct RenewalCommitmentInfo: Sendable, Hashable {
    /// All members as written, known and unknown.
    public let members: JSONObject

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
