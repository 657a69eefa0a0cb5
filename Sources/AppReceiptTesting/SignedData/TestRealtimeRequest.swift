public import AppReceiptFoundation
import AppReceiptKit
public import AppReceiptSupport
public import AppStoreSignedData

/// The claims of a realtime request of retention messaging, by default from the sandbox.
public struct TestRealtimeRequest: TestClaims {
    /// The original transaction identifier of the subscription.
    public var originalTransactionIdentifier: String
    /// The product.
    public var productIdentifier: String
    /// The app's App Store identifier.
    public var appAppleIdentifier: UInt64 = 1_234_567_890
    /// The customer's locale.
    public var userLocale = "en-US"
    /// The identifier of the request.
    public var requestIdentifier = "00000000-0000-4000-8000-000000000001"
    /// The environment.
    public var environment: SignedDataEnvironment = .sandbox
    /// The date of the signature. Default: 2024-07-02T15:04:05Z.
    public var signedDate = TestReceipt().creationDate
    /// Members that replace or extend ``members``. Null removes a member.
    public var overrides: [String: AppStoreJSON] = [:]

    /// Creates a realtime request about a subscription.
    public init(_ product: String, original: String) {
        productIdentifier = product
        originalTransactionIdentifier = original
    }

    /// The members that are signed.
    public var members: AppStoreJSON.Object {
        let members: AppStoreJSON.Object = [
            "originalTransactionId": .string(originalTransactionIdentifier),
            "appAppleId": .number(AppStoreJSON.Number(appAppleIdentifier)),
            "productId": .string(productIdentifier),
            "userLocale": .string(userLocale),
            "requestIdentifier": .string(requestIdentifier),
            "environment": .string(environment.rawValue),
            "signedDate": .date(signedDate),
        ]
        return members.with(overrides)
    }
}
