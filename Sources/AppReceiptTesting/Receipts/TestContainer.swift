public import AppReceiptKit

/// A PKCS #7 container to encode. Every part can be changed, so that a test can break one rule at a time.
public struct TestContainer: TestValue, Hashable {
    /// The content that is signed.
    public var content: [UInt8]
    /// The certificates as DER, in order.
    public var certificates: [[UInt8]]
    /// The signers. A receipt has one.
    public var signers: [TestSigner]
    /// The digest algorithms that the container announces. Nil for the first signer's.
    public var digestAlgorithms: [TestAlgorithm]?
    /// The encoding.
    public var encoding: Encoding = .der
    /// The version of the signed data.
    public var version: UInt64 = 1
    /// The content type, `data` by default.
    public var contentType = "1.2.840.113549.1.7.1"
    /// The container type, `signedData` by default.
    public var containerType = "1.2.840.113549.1.7.2"
    /// An element that replaces the octet string with the content. The content is signed as before.
    public var contentElement: [UInt8]?
    /// Whether the content is signed but omitted.
    public var isDetached = false
    /// Revocation lists, as whole elements. Parsers skip them.
    public var revocationLists: [[UInt8]] = []

    /// The encoding of a container.
    public enum Encoding: Sendable, Hashable {
        /// Definite lengths, as in receipts of the App Store.
        case der
        /// Indefinite lengths, with the content in pieces. Xcode's receipts have one piece.
        case ber(pieces: Int)
    }

    /// Creates a container that is signed by a PKI's signer and contains the PKI's three certificates.
    ///
    /// - Parameters:
    ///   - content: The content.
    ///   - pki: The root, intermediate and signer.
    /// - Throws: `test-key-malformed` if a key can't be read.
    public init(content: [UInt8], signedBy pki: TestPKI) throws(ReceiptError) {
        self.content = content
        certificates = [try pki.signer.der(), try pki.intermediate.der(), try pki.root.der()]
        signers = [TestSigner(pki.signer)]
    }

    /// Creates a container that is signed as by Xcode, by a single certificate.
    ///
    /// - Parameters:
    ///   - content: The content.
    ///   - certificate: The self-signed certificate.
    /// - Throws: `test-key-malformed` if a key can't be read.
    public init(content: [UInt8], signedByXcode certificate: TestCertificate) throws(ReceiptError) {
        self.content = content
        certificates = [try certificate.der()]
        signers = [TestSigner(certificate)]
        signers[0].signatureAlgorithm = TestAlgorithm(key: .rsa, digest: certificate.digest)
        encoding = .ber(pieces: 1)
    }

    /// Signs and encodes the container.
    ///
    /// - Returns: The container.
    /// - Throws: `test-key-malformed` if a key can't be read.
    public func encoded() throws(ReceiptError) -> [UInt8] {
        let digests = digestAlgorithms ?? signers.first.map { [$0.digestAlgorithm] } ?? []
        var members = [
            DERWriter.integer(version),
            DERWriter.set(digests.map(\.der)),
            constructed(
                DERWriter.objectIdentifier(contentType) + (isDetached ? [] : explicitContent()), tag: 0x30),
        ]
        if !certificates.isEmpty { members.append(DERWriter.context(0, certificates.flatMap(\.self))) }
        if !revocationLists.isEmpty { members.append(DERWriter.context(1, revocationLists.flatMap(\.self))) }
        var encodedSigners: [[UInt8]] = []
        for signer in signers { encodedSigners.append(try signer.encoded(over: content)) }
        members.append(DERWriter.set(encodedSigners, sorted: false))
        let signedData = constructed(members.flatMap(\.self), tag: 0x30)
        return constructed(
            DERWriter.objectIdentifier(containerType) + constructed(signedData, tag: 0xA0), tag: 0x30)
    }

    private func explicitContent() -> [UInt8] {
        if let contentElement { return constructed(contentElement, tag: 0xA0) }
        guard case .ber(let pieces) = encoding else {
            return DERWriter.context(0, DERWriter.octetString(content))
        }
        let size = max(1, (content.count + max(1, pieces) - 1) / max(1, pieces))
        let parts = stride(from: 0, to: content.count, by: size).flatMap { start in
            DERWriter.octetString(content[start..<min(start + size, content.count)])
        }
        return constructed(DERWriter.indefinite(0x24, parts), tag: 0xA0)
    }

    private func constructed(_ content: [UInt8], tag: UInt8) -> [UInt8] {
        encoding == .der ? DERWriter.element(tag, content) : DERWriter.indefinite(tag, content)
    }
}
