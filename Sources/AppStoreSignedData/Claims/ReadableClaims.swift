import AppReceiptKit
import AppReceiptSupport

/// Claims that can be created from members and compared with expectations.
protocol ReadableClaims: SignedClaims {
    /// The kind of data.
    static var kind: SignedDataKind { get }

    /// The app; nil for renewal information and realtime requests, which don't contain it.
    var bundleIdentifier: String? { get }

    /// The app's App Store identifier, which notifications, app transactions and realtime requests from production
    /// contain.
    var appAppleIdentifier: UInt64? { get }

    /// The verification of the device that requested the data; nil if it is absent or malformed.
    var deviceVerification: DeviceVerification? { get }

    /// - Throws: `token-claim-malformed` if a member that a decision depends on has the wrong type or value. Other
    ///   unreadable members are nil, and are available in ``SignedClaims/members``.
    init(_ members: AppStoreJSON.Object) throws(ReceiptError)

    /// Whether these members are specific to this kind of data.
    static func matches(_ members: AppStoreJSON.Object) -> Bool

    /// Verified data of this kind.
    associatedtype Verified: Sendable = VerifiedData<Self>

    /// Combines verified data with the verified data in it.
    static func verified(_ data: VerifiedData<Self>, with nested: NestedData) -> Verified
}

extension ReadableClaims {
    var bundleIdentifier: String? { nil }
    var appAppleIdentifier: UInt64? { nil }
    var deviceVerification: DeviceVerification? { nil }
}

extension ReadableClaims where Verified == VerifiedData<Self> {
    /// Returns the data itself, because only notifications contain nested data.
    static func verified(_ data: VerifiedData<Self>, with nested: NestedData) -> VerifiedData<Self> { data }
}
