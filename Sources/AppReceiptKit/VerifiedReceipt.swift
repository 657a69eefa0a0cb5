public import AppReceiptFoundation
public import AppReceiptParsing

/// A receipt whose signature, certificate chain and contents were verified.
///
/// With the default anchors, Apple signed exactly these attributes, with a certificate that was valid when the receipt
/// was created. A receipt doesn't contain refunds, renewals and transfers after its creation date. It doesn't prove
/// which customer submitted it either: bind transactions to accounts, and check the device hash on a device.
///
/// Only ``ReceiptVerifier`` creates verified receipts. They can be encoded, for a record of what was verified, but not
/// decoded, because stored data proves nothing.
public struct VerifiedReceipt: Sendable {
    /// The signed contents.
    public let receipt: AppReceipt

    private let parsedContainer: ReceiptContainer

    /// The date the receipt was created, at which its certificates were validated.
    public let creationDate: Date

    /// Production, sandbox or Xcode.
    ///
    /// Nil if the environment is absent or unknown, which only ``AcceptedValues/anyEnvironment`` accepts. Always
    /// `xcode` for a receipt that an Xcode certificate signed.
    public let environment: AppStoreEnvironment?

    /// The expected device that the receipt was created for; nil if the device wasn't checked.
    public let device: DeviceIdentifier?

    /// Whether the creation date was in the future when the receipt was verified.
    ///
    /// It indicates that a clock is wrong. Such a receipt isn't rejected.
    public let isFromFuture: Bool

    /// The certificates whose keys verified the receipt.
    package let chain: CertificateChain

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

    package var bundleIdentifier: String? { receipt.bundleIdentifier }
    package var purchases: [InAppPurchase] { receipt.purchases }
    package var isEnvironmentNamed: Bool { receipt.environment != nil }

    /// The PKCS #7 container of the receipt, in binary form.
    ///
    /// These are the original bytes after base64 or PEM is decoded. They include the parts that aren't signed.
    public var container: ArraySlice<UInt8> { parsedContainer.bytes }

    /// The certificate whose key signed the receipt.
    public var signerCertificate: CertificateSummary {
        CertificateSummary(chain.signer, role: chain.isXcode ? .xcode : .signer)
    }

    /// The bytes of the signature.
    ///
    /// Together with the ``chain``, they identify what is signed, because under one key a signature is valid for one
    /// content only. Copies of a receipt with other unsigned parts have the same signature.
    package var signature: ArraySlice<UInt8> { parsedContainer.signer.signature }

    /// Returns the container in DER, reduced to the signer's certificate, the intermediate, and what is signed.
    ///
    /// The result verifies to an equal receipt under the same trust anchors. Anyone can add unsigned bytes to a receipt
    /// without breaking its signature, so store this instead of ``container``.
    package func strippedContainer() -> [UInt8] {
        parsedContainer.encoded(certificates: [chain.signer.der] + (chain.intermediate.map { [$0.der] } ?? []))
    }

    /// Returns what its stripped container verifies to without a device, at the earliest date.
    ///
    /// - Parameter container: The result of ``strippedContainer()``.
    package func stripped(to container: [UInt8]) -> VerifiedReceipt? {
        guard let parsed = try? ReceiptContainer(parsing: container[...], limits: .default) else { return nil }
        return VerifiedReceipt(
            receipt: receipt, container: parsed, creationDate: creationDate, chain: chain, device: nil,
            now: .distantPast)
    }
}

extension VerifiedReceipt: Hashable {
    /// Two verified receipts are equal if their contents, certificate chains and devices are equal.
    ///
    /// The encoding of the ``container`` and the parts of it that aren't signed have no effect.
    public static func == (left: VerifiedReceipt, right: VerifiedReceipt) -> Bool {
        left.receipt == right.receipt && left.chain == right.chain && left.device == right.device
            && left.isFromFuture == right.isFromFuture
    }

    /// Hashes the values that equality compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(receipt)
        hasher.combine(chain)
        hasher.combine(device)
        hasher.combine(isFromFuture)
    }
}

extension VerifiedReceipt: CustomStringConvertible {
    /// A short description with the app, without anything about the customer.
    public var description: String { "VerifiedReceipt(\(receipt.description))" }
}

extension VerifiedReceipt: Encodable {
    /// Encodes the receipt, without the device.
    public func encode(to encoder: any Encoder) throws { try receipt.encode(to: encoder) }
}
