public import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport

/// The claims of signed data: the members of a token's payload, with types for the known ones.
///
/// Don't conform to this protocol: only this library's types are claims of signed data.
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

    /// The app's App Store identifier, which notifications and app transactions from production contain.
    var appAppleIdentifier: UInt64? { get }

    /// The environment.
    var environment: SignedDataEnvironment? { get }

    /// The verification of the device that requested the data; nil if it is absent or malformed.
    var deviceVerification: DeviceVerification? { get }
}

extension SignedClaims {
    /// Encodes the members as they were signed.
    public func encode(to encoder: any Encoder) throws { try members.encode(to: encoder) }

    /// Two values are equal if their members are equal.
    public static func == (left: Self, right: Self) -> Bool { left.members == right.members }
    /// Hashes the members.
    public func hash(into hasher: inout Hasher) { hasher.combine(members) }
}
