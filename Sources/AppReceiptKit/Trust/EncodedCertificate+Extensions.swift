import SwiftASN1
import X509

extension EncodedCertificate {
    /// Returns whether the certificate has an extension.
    ///
    /// - Parameter identifier: The content octets of the object identifier.
    package func has(_ identifier: [UInt8]) -> Bool { extensions.contains { $0.has(identifier) } }

    /// Whether a critical extension isn't supported.
    ///
    /// Name constraints are always treated as critical, as RFC 5280, 4.2.1.10 requires: ignoring them would remove the limits of a
    /// constrained certificate authority.
    package var hasUnknownCriticalExtension: Bool {
        extensions.contains { candidate in
            candidate.isCritical && !ExtensionIdentifier.supported.contains(where: candidate.has)
                || candidate.has(ExtensionIdentifier.nameConstraints)
        }
    }

    var subjectKeyIdentifier: ArraySlice<UInt8>? {
        extensions.first { $0.has(ExtensionIdentifier.subjectKeyIdentifier) }
            .flatMap { try? SubjectKeyIdentifier($0.x509(.X509ExtensionID.subjectKeyIdentifier)).keyIdentifier }
    }

    /// Whether the basic constraints indicate that this is a certificate authority.
    package var isAuthority: Bool {
        if case .isCertificateAuthority = basicConstraints { true } else { false }
    }

    /// Whether the basic constraints are absent or indicate that this isn't a certificate authority. False if they can't be read.
    package var isEndEntity: Bool { basicConstraints == .notCertificateAuthority }

    /// Whether the key may sign data other than certificates: the key usage, if present, includes digitalSignature.
    package var allowsDigitalSignature: Bool { keyUsage?.digitalSignature ?? !has(ExtensionIdentifier.keyUsage) }

    /// Whether the key may sign certificates: the key usage, if present, includes keyCertSign (RFC 5280, 6.1.4 n).
    var allowsCertificateSigning: Bool { keyUsage?.keyCertSign ?? !has(ExtensionIdentifier.keyUsage) }

    /// The maximum number of intermediates below this certificate authority, nil for no limit.
    var pathLength: Int? {
        if case .isCertificateAuthority(let length) = basicConstraints { length } else { nil }
    }

    /// Whether the basic constraints and the key usage are absent or can be read.
    var hasReadableExtensions: Bool {
        basicConstraints != nil && (keyUsage != nil || !has(ExtensionIdentifier.keyUsage))
    }
}
