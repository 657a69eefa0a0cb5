import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing

@Suite("NotificationEvent")
struct NotificationEventTests {
    private static func sentence(_ type: NotificationType, _ subtype: NotificationSubtype? = nil) throws -> String {
        let token = try TestNotification(type: type, subtype: subtype).signed()
        let anchors = try TestPKI.signedData.anchors
        let verified = try SignedDataVerifier(anchors: anchors).verifyNotification(
            token,
            expecting: SignedDataExpectations(
                bundleIdentifier: .anyBundle, environments: .anyEnvironment, appAppleIdentifier: .anyApp))
        return NotificationEvent(verified.claims).sentence
    }

    @Test(
        "Each type of notification has its own sentence",
        arguments: [
            NotificationType.subscribed, .didRenew, .didChangeRenewalPreference, .didChangeRenewalStatus,
            .offerRedeemed,
            .didFailToRenew, .gracePeriodExpired, .expired, .priceIncrease, .refund, .refundDeclined, .refundReversed,
            .revoke, .consumptionRequest, .renewalExtended, .renewalExtension, .oneTimeCharge, .externalPurchaseToken,
            .rescindConsent, .migration, .priceChange, .test,
        ])
    func types(type: NotificationType) throws {
        let sentence = try Self.sentence(type)
        #expect(sentence.hasSuffix(".") && !sentence.contains(type.rawValue))
    }

    @Test(
        "A subtype changes the sentence",
        arguments: [
            (NotificationType.expired, NotificationSubtype.voluntary, "turned off renewal"),
            (.expired, .billingRetry, "couldn't be billed"), (.expired, .priceIncrease, "higher price"),
            (.expired, .productNotForSale, "for sale"), (.didFailToRenew, .gracePeriod, "keeps access"),
            (.didRenew, .billingRecovery, "billing problem"), (.subscribed, .resubscribe, "again"),
            (.didChangeRenewalPreference, .upgrade, "upgraded"),
            (.didChangeRenewalPreference, .downgrade, "downgraded"),
            (.didChangeRenewalStatus, .autoRenewEnabled, "turned on"), (.priceIncrease, .pending, "hasn't responded"),
        ])
    func subtypes(type: NotificationType, subtype: NotificationSubtype, words: String) throws {
        let sentence = try Self.sentence(type, subtype)
        #expect(sentence.contains(words))
        #expect(sentence != (try Self.sentence(type)))
    }

    @Test("An unknown type is named")
    func unknown() throws {
        #expect(try Self.sentence(NotificationType(rawValue: "NEWS")) == "A notification of type NEWS.")
    }
}
