public import AppReceiptParsing

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A receipt that its verifier's trust anchors vouch for and that met what was expected of it.
///
/// With the default anchors: Apple signed exactly these attributes, with a certificate that was valid when the receipt
/// was made. It does not prove what happened since: refunds, renewals and transfers after the creation date are not in
/// a receipt. Nor does it prove who presents it: bind transactions to accounts, and check the device hash on a device.
///
/// Only ``ReceiptVerifier`` makes one. It can be encoded for a record of what was verified but not decoded: what comes
/// back from storage is no proof.
public struct VerifiedReceipt: Sendable {
    /// What was signed.
    public let receipt: AppReceipt

    /// The PKCS #7 container the receipt was verified from, in binary form.
    ///
    /// These are the bytes as they were given, without base64 or PEM, and including parts that aren't signed.
    public var container: ArraySlice<UInt8> { parsedContainer.bytes }

    /// When the receipt was made; the certificates were judged at this date.
    public let creationDate: Date

    /// Production, sandbox or Xcode; nil if the receipt says something unknown or nothing, which only passes where any
    /// environment was accepted. A receipt that an Xcode certificate vouches for is always `xcode`.
    public let environment: ReceiptEnvironment.Base?

    /// Which of the expected devices the receipt was made for; nil if none was given.
    public let device: DeviceIdentifier?

    /// Whether the creation date was still to come when the receipt was verified: some device's clock is wrong. Nothing
    /// is refused for it.
    public let isFromFuture: Bool

    private let parsedContainer: ReceiptContainer
    private let chain: CertificateChain

    /// The certificate that signed it.
    public var signerCertificate: CertificateSummary {
        CertificateSummary(chain.signer, role: chain.isXcode ? .xcode : .signer)
    }

    init(
        receipt: AppReceipt, container: ReceiptContainer, creationDate: Date, chain: CertificateChain,
        device: DeviceIdentifier?, now: Date
    ) {
        self.receipt = receipt
        parsedContainer = container
        self.creationDate = creationDate
        environment = chain.isXcode ? .xcode : receipt.environment?.base
        self.device = device
        isFromFuture = creationDate > now
        self.chain = chain
    }

    /// Returns the container in DER, reduced to the signer's certificate, the intermediate, and what is signed.
    ///
    /// The result verifies to an equal receipt under the same trust anchors. Anyone can add unsigned bytes to a receipt
    /// without breaking its signature, so store this instead of ``container``.
    package func strippedContainer() -> [UInt8] {
        parsedContainer.encoded(certificates: [chain.signer.der] + (chain.intermediate.map { [$0.der] } ?? []))
    }
}

extension VerifiedReceipt: Hashable {
    /// Two verified receipts are equal if the same was signed by the same chain of certificates, for the same device.
    ///
    /// The form of the ``container`` doesn't count, nor does anything in it that isn't signed.
    public static func == (left: VerifiedReceipt, right: VerifiedReceipt) -> Bool {
        left.receipt == right.receipt && left.chain == right.chain && left.device == right.device
            && left.isFromFuture == right.isFromFuture
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(receipt)
        hasher.combine(chain)
        hasher.combine(device)
        hasher.combine(isFromFuture)
    }
}

extension VerifiedReceipt: CustomStringConvertible {
    /// One line that names the app and nothing of its customer.
    public var description: String { "VerifiedReceipt(\(receipt.description))" }
}

extension VerifiedReceipt: Encodable {
    /// The receipt's own JSON; the device is left out.
    public func encode(to encoder: any Encoder) throws { try receipt.encode(to: encoder) }
}
