public import AppReceiptFoundation
import AppReceiptKit
public import AppReceiptSupport

/// The claims of a realtime request of retention messaging: the App Store asks which message to show to a customer who
/// is about to cancel. Source: Apple, DecodedRealtimeRequestBody.
///
/// It names the app only by its App Store identifier, and proves no purchase.
public struct RealtimeRequestClaims: SignedClaims {
    /// All members as written, known and unknown.
    public let members: AppStoreJSON.Object

    /// The original transaction of the subscription.
    public let originalTransactionIdentifier: String?
    /// The app's App Store identifier.
    public let appAppleIdentifier: UInt64?
    /// The product.
    public let productIdentifier: String?
    /// The customer's locale, such as `en-US`.
    public let userLocale: String?
    /// The identifier of the request.
    public let requestIdentifier: UUID?
    /// The environment.
    public let environment: SignedDataEnvironment?
    /// The date the request was signed.
    public let signedDate: Date?
}

extension RealtimeRequestClaims: ReadableClaims {
    static var kind: SignedDataKind { .realtimeRequest }

    init(_ members: AppStoreJSON.Object) throws(ReceiptError) {
        let claims = ClaimReader(members: members)
        self.members = members
        // Members that decisions depend on.
        originalTransactionIdentifier = try claims.string("originalTransactionId")
        appAppleIdentifier = try claims.identifier("appAppleId")
        productIdentifier = try claims.string("productId")
        environment = try claims.value("environment")
        signedDate = try claims.date("signedDate")
        // Other members: nil if they can't be read.
        userLocale = try? claims.string("userLocale")
        requestIdentifier = (try? claims.string("requestIdentifier")).flatMap { UUID(uuidString: $0) }
    }

    static func matches(_ members: AppStoreJSON.Object) -> Bool {
        members["userLocale"] != nil || members["requestIdentifier"] != nil
    }
}

extension RealtimeRequestClaims: CustomStringConvertible {
    /// The product, without data about the customer.
    public var description: String { "RealtimeRequestClaims(\(productIdentifier ?? "no product identifier"))" }
}
