public import AppReceiptKit
import AppReceiptSupport

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What signed data says: the members of a token's payload, with types where they are known.
///
/// Nothing of it is proven by itself: ``VerifiedData`` holds claims that are, ``UnverifiedSignedData`` such that may not be.
public protocol SignedClaims: Sendable, Hashable, Encodable {
    /// Every member as it was written, known or not.
    var members: JSONObject { get }

    /// What kind of data it is.
    static var kind: SignedDataKind { get }

    /// When the App Store, or Xcode, signed this copy.
    ///
    /// Every copy of the same data has its own; of two the later one knows more. It is no date of the business.
    var signedDate: Date? { get }

    /// The app; nil for renewal information, which names none.
    var bundleIdentifier: String? { get }

    /// The app's number in the App Store, where it is named: in notifications and app transactions from production.
    var appAppleIdentifier: UInt64? { get }

    /// Where it comes from.
    var environment: SignedDataEnvironment? { get }

    /// The verification of the device that requested the data; nil if it is absent or malformed.
    var deviceVerification: DeviceVerification? { get }
}

extension SignedClaims {
    /// The members as they were signed.
    public func encode(to encoder: any Encoder) throws { try members.encode(to: encoder) }

    /// Equal are claims with the same members.
    public static func == (left: Self, right: Self) -> Bool { left.members == right.members }
    /// Hashes what equality compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(members) }
}

/// Claims that can be made of members.
protocol ReadableClaims: SignedClaims {
    /// - Throws: `token-claim-malformed` if a decision hangs on a member that is not what it must be. What else cannot be
    ///   read is nil, and stays in ``SignedClaims/members``.
    init(_ members: JSONObject) throws(ReceiptError)

    /// Whether these members belong to this kind of data and no other.
    static func areEvident(in members: JSONObject) -> Bool

    /// Verified data of this kind.
    associatedtype Verified: Sendable = VerifiedData<Self>

    /// Combines verified data with the verified data in it.
    static func verified(_ data: VerifiedData<Self>, _ nested: NestedData) throws(ReceiptError) -> Verified
}

extension ReadableClaims where Verified == VerifiedData<Self> {
    /// Returns the data itself, because only notifications contain nested data.
    static func verified(_ data: VerifiedData<Self>, _ nested: NestedData) -> VerifiedData<Self> { data }
}

/// The kinds of signed data.
public enum SignedDataKind: String, Sendable, Hashable, CaseIterable, Codable {
    /// JWSTransaction.
    case transaction
    /// JWSRenewalInfo.
    case renewalInfo = "renewal-info"
    /// JWSAppTransaction.
    case appTransaction = "app-transaction"
    /// App Store Server Notifications, version 2.
    case notification

    /// The kind that the members are evidence of; where they are of none, as in the smallest examples of Apple's libraries,
    /// data that names an app is a transaction and data that names an environment renewal information.
    init?(of members: JSONObject) {
        guard !Self.isForeign(members) else { return nil }
        let evident = Self.evident(in: members)
        if let kind = evident.first {
            guard evident.count == 1 else { return nil }
            self = kind
        } else {
            guard members["environment"] != nil, members["signedDate"] != nil else { return nil }
            self = members["bundleId"] != nil ? .transaction : .renewalInfo
        }
    }

    /// Whether the members are those of other data that the App Store signs, of which nothing is verified here: requests of
    /// retention messaging have most members of renewal information and mean something else.
    static func isForeign(_ members: JSONObject) -> Bool {
        members["userLocale"] != nil || members["requestIdentifier"] != nil
    }

    /// The kinds whose own members there are.
    static func evident(in members: JSONObject) -> [SignedDataKind] {
        let kinds: [any ReadableClaims.Type] = [
            TransactionClaims.self, RenewalInfoClaims.self, AppTransactionClaims.self, NotificationClaims.self,
        ]
        return kinds.filter { $0.areEvident(in: members) }.map { $0.kind }
    }

    /// For sentences.
    var inWords: String {
        switch self {
        case .transaction: "a transaction"
        case .renewalInfo: "renewal information"
        case .appTransaction: "an app transaction"
        case .notification: "a notification"
        }
    }
}

/// Where signed data says that it comes from.
///
/// The same certificates sign production and sandbox data, so this alone tells them apart. Values that are not known are
/// kept; they count as no environment at all, never as production.
public struct SignedDataEnvironment: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
    /// The text in the data.
    public let rawValue: String
    /// The environment of this name, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The App Store.
    public static let production = Self(rawValue: "Production")
    /// The sandbox, TestFlight included.
    public static let sandbox = Self(rawValue: "Sandbox")
    /// Xcode's local testing.
    public static let xcode = Self(rawValue: "Xcode")
    /// The unit tests of Apple's server libraries.
    public static let localTesting = Self(rawValue: "LocalTesting")

    /// What the environment comes down to; nil if the value is not known.
    public var base: ReceiptEnvironment.Base? {
        switch self {
        case .production: .production
        case .sandbox: .sandbox
        case .xcode, .localTesting: .xcode
        default: nil
        }
    }

    /// The text in the data.
    public var description: String { rawValue }
}
