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
    var members: AppStoreJSON.Object { get }

    /// The date the App Store or Xcode signed this copy.
    ///
    /// Every copy of the same data has its own date, and the latest copy is the most current. It isn't the date of the
    /// purchase.
    var signedDate: Date? { get }

    /// The environment.
    var environment: SignedDataEnvironment? { get }
}

extension SignedClaims {
    /// Encodes the members as they were signed.
    public func encode(to encoder: any Encoder) throws { try members.encode(to: encoder) }

    /// Two values are equal if their members are equal.
    public static func == (left: Self, right: Self) -> Bool { left.members == right.members }
    /// Hashes the members.
    public func hash(into hasher: inout Hasher) { hasher.combine(members) }
}
