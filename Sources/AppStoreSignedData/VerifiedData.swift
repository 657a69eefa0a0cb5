public import AppReceiptKit

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A signed transaction that its verifier's trust anchors vouch for and that met what was expected of it.
public typealias VerifiedTransaction = VerifiedData<TransactionClaims>
/// Signed renewal information that its verifier's trust anchors vouch for. It names no app.
public typealias VerifiedRenewalInfo = VerifiedData<RenewalInfoClaims>
/// A signed app transaction that its verifier's trust anchors vouch for and that met what was expected of it.
public typealias VerifiedAppTransaction = VerifiedData<AppTransactionClaims>

/// Signed data that its verifier's trust anchors vouch for and that met what was expected of it.
///
/// With the default anchors: Apple signed exactly these claims, with a certificate that was valid then. It does not prove
/// what happened since, nor who presents it: anybody who has seen a token can show it again. Bind transactions to accounts
/// (`appAccountToken`, or a table of your own), and take no consumable twice.
///
/// Only ``SignedDataVerifier`` makes one. It can be encoded for a record of what was verified but not decoded: what comes
/// back from storage is no proof.
public struct VerifiedData<Claims: SignedClaims>: Sendable, Hashable {
    /// What was signed.
    public let claims: Claims

    /// The token itself. Keep this, and verify it again when it comes back: it is the proof, and what was read out of it is
    /// none.
    public let token: String

    /// When this copy was signed; the certificates were judged at this date. Of two copies of the same data the later
    /// one counts.
    public let signedDate: Date

    /// Production, sandbox or Xcode; nil if the data says something unknown or nothing, which only passes where any
    /// environment was accepted. What an Xcode certificate vouches for is always `xcode`.
    public let environment: ReceiptEnvironment.Base?

    /// Whether it was signed later than `now`: some clock is wrong. Nothing is refused for it.
    public let isFromFuture: Bool

    private let chain: CertificateChain

    /// The certificate that signed it.
    public var signerCertificate: CertificateSummary {
        CertificateSummary(chain.signer, role: chain.isXcode ? .xcode : .signer)
    }

    init(_ claims: Claims, token: String, signedDate: Date, chain: CertificateChain, now: Date) {
        self.claims = claims
        self.token = token
        self.signedDate = signedDate
        environment = chain.isXcode ? .xcode : claims.environment?.base
        isFromFuture = signedDate > now
        self.chain = chain
    }
}

extension VerifiedData: CustomStringConvertible {
    /// One line that names kind and environment and nothing of the customer.
    public var description: String {
        "VerifiedData(\(Claims.kind.rawValue), \(environment?.rawValue ?? "unknown environment"))"
    }
}

extension VerifiedData: Encodable {
    /// The members as they were signed.
    public func encode(to encoder: any Encoder) throws { try claims.encode(to: encoder) }
}

/// A notification that its verifier's trust anchors vouch for and that met what was expected of it, with the data in it,
/// which passed the same checks and belongs to the same app.
///
/// The store sends a notification again until it is acknowledged, and in no certain order: tell them apart by
/// `notificationUUID` and order them by ``VerifiedData/signedDate``.
public struct VerifiedNotification: Sendable, Hashable {
    /// The notification itself.
    public let notification: VerifiedData<NotificationClaims>
    /// The transaction that it is about.
    public let transaction: VerifiedTransaction?
    /// The state of the subscription that it is about.
    public let renewalInfo: VerifiedRenewalInfo?
    /// The app transaction that it is about.
    public let appTransaction: VerifiedAppTransaction?

    /// What it says.
    public var claims: NotificationClaims { notification.claims }
    /// When it was signed.
    public var signedDate: Date { notification.signedDate }
    /// Where it comes from.
    public var environment: ReceiptEnvironment.Base? { notification.environment }
}

extension VerifiedNotification: CustomStringConvertible {
    /// One line that names the event and nothing of the customer.
    public var description: String { "VerifiedNotification(\(claims.description))" }
}

extension VerifiedNotification: Encodable {
    /// The notification's members as they were signed, its tokens among them.
    public func encode(to encoder: any Encoder) throws { try notification.encode(to: encoder) }
}
