public import AppReceiptKit
import AppReceiptSupport

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The claims of signed data: the members of a token's payload, with types for the known ones.
///
/// Claims alone are unproven: ``VerifiedData`` contains proven claims, ``UnverifiedSignedData`` unproven ones.
public protocol SignedClaims: Sendable, Hashable, Encodable {
    /// All members as written, known and unknown.
    var members: JSONObject { get }

    /// The kind of data.
    static var kind: SignedDataKind { get }

    /// The date the App Store or Xcode signed this copy.
    ///
    /// Every copy of the same data has its own date, and the latest copy is the most current. It isn't the date of the purchase.
    var signedDate: Date? { get }

    /// The app; nil for renewal information, which doesn't contain it.
    var bundleIdentifier: String? { get }

    /// The app's number in the App Store, which notifications and app transactions from production contain.
    var appAppleIdentifier: UInt64? { get }

    /// The environment.
    var environment: SignedDataEnvironment? { get }

    /// The verification of the device that requested the data; nil if it is absent or malformed.
    var deviceVerification: DeviceVerification? { get }
}

extension SignedClaims {
    /// The members as they were signed.
    public func encode(to encoder: any Encoder) throws { try members.encode(to: encoder) }

    /// Two values are equal if their members are equal.
    public static func == (left: Self, right: Self) -> Bool { left.members == right.members }
    /// Hashes the members.
    public func hash(into hasher: inout Hasher) { hasher.combine(members) }
}

/// Claims that can be created from members.
protocol ReadableClaims: SignedClaims {
    /// - Throws: `token-claim-malformed` if a member that a decision depends on has the wrong type or value. Other unreadable members
    ///   are nil, and are available in ``SignedClaims/members``.
    init(_ members: JSONObject) throws(ReceiptError)

    /// Whether these members are specific to this kind of data.
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

    /// The kind that the members indicate. If they don't indicate one, as in minimal test data of Apple's libraries, data with a bundle
    /// identifier is a transaction and data with an environment is renewal information.
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

    /// Whether the members are those of other data that the App Store signs, which isn't supported: retention messaging requests have most
    /// members of renewal information, with another meaning.
    static func isForeign(_ members: JSONObject) -> Bool {
        members["userLocale"] != nil || members["requestIdentifier"] != nil
    }

    /// The kinds whose specific members are present.
    static func evident(in members: JSONObject) -> [SignedDataKind] {
        let kinds: [any ReadableClaims.Type] = [
            TransactionClaims.self, RenewalInfoClaims.self, AppTransactionClaims.self, NotificationClaims.self,
        ]
        return kinds.filter { $0.areEvident(in: members) }.map { $0.kind }
    }

    /// The name in sentences.
    var nameWithArticle: String {
        switch self {
        case .transaction: "a transaction"
        case .renewalInfo: "renewal information"
        case .appTransaction: "an app transaction"
        case .notification: "a notification"
        }
    }
}

/// The claimed environment of signed data.
///
/// The same certificates sign production and sandbox data, so only this claim distinguishes them. Unknown values are preserved and never
/// treated as production.
public struct SignedDataEnvironment: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
    /// The text in the data.
    public let rawValue: String
    /// Creates an environment with any name, known or unknown.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The App Store.
    public static let production = Self(rawValue: "Production")
    /// The sandbox, TestFlight included.
    public static let sandbox = Self(rawValue: "Sandbox")
    /// Xcode's local testing.
    public static let xcode = Self(rawValue: "Xcode")
    /// The unit tests of Apple's server libraries.
    public static let localTesting = Self(rawValue: "LocalTesting")

    /// The basic environment; nil if the value is unknown.
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
