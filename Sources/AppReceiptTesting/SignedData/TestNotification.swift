public import AppReceiptFoundation
import AppReceiptKit
public import AppReceiptSupport
public import AppStoreSignedData

/// The claims of an App Store server notification, by default a test notification from the sandbox.
public struct TestNotification: TestClaims {
    /// The type.
    public var notificationType: NotificationType = .test
    /// The subtype.
    public var subtype: NotificationSubtype?
    /// The unique identifier.
    public var notificationUUID = "00000000-0000-4000-8000-000000000001"
    /// The app.
    public var bundleIdentifier = "com.example.app"
    /// The app's App Store identifier.
    public var appAppleIdentifier: UInt64?
    /// The subscription status.
    public var status: SubscriptionStatus?
    /// The token with the transaction.
    public var signedTransactionInfo: String?
    /// The token with the renewal information.
    public var signedRenewalInfo: String?
    /// The environment.
    public var environment: SignedDataEnvironment = .sandbox
    /// The date of the signature. Default: 2024-07-02T15:04:05Z.
    public var signedDate = TestReceipt().creationDate
    /// Members that replace or extend ``members``. Null removes a member.
    public var overrides: [String: AppStoreJSON] = [:]

    /// Creates a notification, by default a test.
    public init(type: NotificationType = .test, subtype: NotificationSubtype? = nil) {
        notificationType = type
        self.subtype = subtype
    }

    /// The member `data`.
    public var data: AppStoreJSON.Object {
        var data: AppStoreJSON.Object = [
            "bundleId": .string(bundleIdentifier), "environment": .string(environment.rawValue), "bundleVersion": "1",
        ]
        data["appAppleId"] = appAppleIdentifier.map { .number(AppStoreJSON.Number($0)) }
        data["signedTransactionInfo"] = signedTransactionInfo.map { .string($0) }
        data["signedRenewalInfo"] = signedRenewalInfo.map { .string($0) }
        data["status"] = status.map { .number(AppStoreJSON.Number($0.rawValue)) }
        return data
    }

    /// The members that are signed.
    public var members: AppStoreJSON.Object {
        var members: AppStoreJSON.Object = [
            "notificationType": .string(notificationType.rawValue),
            "notificationUUID": .string(notificationUUID),
            "version": "2.0",
            "signedDate": .date(signedDate),
            "data": .object(data),
        ]
        members["subtype"] = subtype.map { .string($0.rawValue) }
        return members.with(overrides)
    }
}
