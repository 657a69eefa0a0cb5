public import AppReceiptFoundation
public import AppReceiptKit

/// A transaction that a ``SignedDataVerifier`` verified.
public typealias VerifiedTransaction = VerifiedData<TransactionClaims>

/// Renewal information that a ``SignedDataVerifier`` verified. It doesn't name an app.
public typealias VerifiedRenewalInfo = VerifiedData<RenewalInfoClaims>

/// An app transaction that a ``SignedDataVerifier`` verified.
public typealias VerifiedAppTransaction = VerifiedData<AppTransactionClaims>

/// A realtime request of retention messaging that a ``SignedDataVerifier`` verified. It names the app by its App Store
/// identifier only.
public typealias VerifiedRealtimeRequest = VerifiedData<RealtimeRequestClaims>

/// Signed data whose certificate chain ends at one of the verifier's trust anchors, and which meets the expectations.
///
/// With the default anchors, Apple signed exactly these claims, and the certificates were valid on that date. Later
/// events and the customer who submits the data aren't proven: anyone who has seen a token can submit it again. Bind
/// transactions to accounts with `appAccountToken` or a table of your own, and don't deliver a consumable twice.
///
/// Only ``SignedDataVerifier`` creates this type. Values can be encoded, for example for a log, but not decoded,
/// because stored claims prove nothing. Store ``token`` instead, and verify it again.
public struct VerifiedData<Claims: SignedClaims>: Sendable, Hashable {
    /// The signed claims.
    public let claims: Claims

    /// The token, which is the proof of the claims. Store it, and verify it again after reading it.
    public let token: String

    /// The date this copy was signed, at which the certificates were validated. Of two copies of the same data, the
    /// later one is current.
    public let signedDate: Date

    /// The environment; nil if the data's is unknown or missing, which only expectations of any environment accept.
    /// Always `xcode` for data that an Xcode certificate signed.
    public let environment: AppStoreEnvironment?

    /// Whether the data was signed later than `now`, because one of the clocks is wrong. Such data isn't rejected.
    public let isFromFuture: Bool

    private let kind: SignedDataKind
    package let chain: CertificateChain

    /// The certificate of the signer.
    public var signerCertificate: CertificateSummary {
        CertificateSummary(chain.signer, role: chain.isXcode ? .xcode : .signer)
    }

    init(_ claims: Claims, token: String, signedDate: Date, chain: CertificateChain, now: Date)
    where Claims: ReadableClaims {
        self.claims = claims
        kind = Claims.kind
        self.token = token
        self.signedDate = signedDate
        environment = chain.isXcode ? .xcode : claims.environment?.base
        isFromFuture = signedDate > now
        self.chain = chain
    }
}

extension VerifiedData: CustomStringConvertible {
    /// The kind and environment, without data about the customer.
    public var description: String {
        "VerifiedData(\(kind.rawValue), \(environment?.rawValue ?? "unknown environment"))"
    }
}

extension VerifiedData: Encodable {
    /// Encodes the members as they were signed.
    public func encode(to encoder: any Encoder) throws { try claims.encode(to: encoder) }
}
