public import AppReceiptFoundation
import AppReceiptKit
public import AppReceiptSupport
public import AppStoreSignedData

/// The claims of an app transaction, by default of the sandbox.
public struct TestAppTransaction: TestClaims {
    /// The app.
    public var bundleIdentifier = "com.example.app"
    /// The app's App Store identifier.
    public var appAppleIdentifier: UInt64?
    /// The app's version.
    public var appVersion = "1"
    /// The version that the customer bought first.
    public var originalAppVersion = "1.0"
    /// The date of the first purchase. Default: the sandbox's constant.
    public var originalPurchaseDate = TestReceipt().originalPurchaseDate
    /// The environment.
    public var environment: SignedDataEnvironment = .sandbox
    /// The date of the signature. Default: 2024-07-02T15:04:05Z.
    public var signedDate = TestReceipt().creationDate
    /// The device to which the data is bound, and a nonce.
    public var device: (identifier: UUID, nonce: UUID)?
    /// Members that replace or extend ``members``. Null removes a member.
    public var overrides: [String: AppStoreJSON] = [:]

    /// Creates an app transaction of the sandbox.
    public init() {}

    /// The members that are signed.
    public var members: AppStoreJSON.Object {
        var members: AppStoreJSON.Object = [
            "receiptType": .string(environment.rawValue),
            "bundleId": .string(bundleIdentifier),
            "applicationVersion": .string(appVersion),
            "originalApplicationVersion": .string(originalAppVersion),
            "originalPurchaseDate": .date(originalPurchaseDate),
            "receiptCreationDate": .date(signedDate),
            "appTransactionId": "704000000000000001",
            "originalPlatform": "iOS",
        ]
        members["appAppleId"] = appAppleIdentifier.map { .number(AppStoreJSON.Number($0)) }
        members.bind(to: device)
        return members.with(overrides)
    }
}
