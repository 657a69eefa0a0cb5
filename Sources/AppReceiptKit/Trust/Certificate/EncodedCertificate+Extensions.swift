import SwiftASN1
import X509

/// The object identifiers of Apple's extensions, 1.2.840.113635.100.6.
enum AppleExtension {
    /// The marker on intermediates that may issue certificates for receipt signers.
    static let intermediateMarker: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 2, 1]
    /// The marker on certificates that may sign receipts.
    static let signerMarker: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 11, 1]
    /// The marker on certificates that may sign transaction receipts of version 2.
    static let transactionSignerMarker: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 5, 1]
}

extension EncodedCertificate {
    /// The extensions that may be critical, because chain validation evaluates them.
    private static let supportedExtensions: [ASN1ObjectIdentifier] = [
        .X509ExtensionID.basicConstraints, .X509ExtensionID.keyUsage, AppleExtension.intermediateMarker,
        AppleExtension.signerMarker,
    ]

    /// Returns whether the certificate has an extension.
    func has(_ identifier: ASN1ObjectIdentifier) -> Bool { extensions.contains { $0.oid == identifier } }

    /// Whether a critical extension isn't supported.
    ///
    /// Name constraints are always treated as critical, as RFC 5280, 4.2.1.10 requires: ignoring them would remove the limits of a
    /// constrained certificate authority.
    package var hasUnknownCriticalExtension: Bool {
        extensions.contains {
            $0.critical && !Self.supportedExtensions.contains($0.oid) || $0.oid == .X509ExtensionID.nameConstraints
        }
    }

    var subjectKeyIdentifier: ArraySlice<UInt8>? {
        extensions.first { $0.oid == .X509ExtensionID.subjectKeyIdentifier }
            .flatMap { try? SubjectKeyIdentifier($0).keyIdentifier }
    }

    /// Whether the basic constraints indicate that this is a certificate authority.
    package var isAuthority: Bool {
        if case .isCertificateAuthority = basicConstraints { true } else { false }
    }

    /// Whether the basic constraints are absent or indicate that this isn't a certificate authority. False if they can't be read.
    package var isEndEntity: Bool { basicConstraints == .notCertificateAuthority }

    /// Whether the key may sign data other than certificates: the key usage, if present, includes digitalSignature.
    package var allowsDigitalSignature: Bool { keyUsage?.digitalSignature ?? !has(.X509ExtensionID.keyUsage) }

    /// Whether the key may sign certificates: the key usage, if present, includes keyCertSign (RFC 5280, 6.1.4 n).
    var allowsCertificateSigning: Bool { keyUsage?.keyCertSign ?? !has(.X509ExtensionID.keyUsage) }

    /// The maximum number of intermediates below this certificate authority, nil for no limit.
    var pathLength: Int? {
        if case .isCertificateAuthority(let length) = basicConstraints { length } else { nil }
    }

    /// Whether the basic constraints and the key usage are absent or can be read.
    var hasReadableExtensions: Bool {
        basicConstraints != nil && (keyUsage != nil || !has(.X509ExtensionID.keyUsage))
    }
}
