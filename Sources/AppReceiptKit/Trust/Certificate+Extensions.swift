package import SwiftASN1
package import X509

extension Certificate {
    package func has(_ identifier: ASN1ObjectIdentifier) -> Bool { extensions.contains { $0.oid == identifier } }

    /// Whether it has a critical extension that is not understood. Name constraints count as critical always: RFC 5280,
    /// 4.2.1.10 says that they must be, and ignoring them would let a limited authority do what it may not.
    package var hasUnknownCriticalExtension: Bool {
        extensions.contains {
            $0.critical && !ExtensionIdentifier.understood.contains($0.oid)
                || $0.oid == ExtensionIdentifier.nameConstraints
        }
    }

    /// The basic constraints; no authority if there are none, nil if they cannot be read.
    package var basicConstraints: BasicConstraints? {
        guard let found = extensions.first(where: { $0.oid == ExtensionIdentifier.basicConstraints }) else {
            return .notCertificateAuthority
        }
        return try? BasicConstraints(found)
    }

    /// The key usage, nil if there is none or it cannot be read.
    package var keyUsage: KeyUsage? {
        extensions.first { $0.oid == ExtensionIdentifier.keyUsage }.flatMap { try? KeyUsage($0) }
    }

    /// Whether issuer and subject are names and not just any sequences. Names are compared as bytes; this only keeps
    /// nonsense out.
    package var hasReadableNames: Bool {
        [issuer, subject].allSatisfy { (try? DistinguishedName(derEncoded: DER.parse($0))) != nil }
    }

    var subjectKeyIdentifier: ArraySlice<UInt8>? {
        extensions.first { $0.oid == ExtensionIdentifier.subjectKeyIdentifier }
            .flatMap { try? SubjectKeyIdentifier($0).keyIdentifier }
    }

    package var isAuthority: Bool {
        if case .isCertificateAuthority = basicConstraints { true } else { false }
    }

    /// Whether it says that it is no authority, or leaves it open, which comes to the same.
    package var isNoAuthority: Bool { basicConstraints == .notCertificateAuthority }

    /// Whether its key may sign other things than certificates: the key usage, if present, includes digitalSignature.
    package var maySign: Bool { keyUsage?.digitalSignature ?? !has(ExtensionIdentifier.keyUsage) }

    /// Whether its key may sign certificates: the key usage, if present, includes keyCertSign (RFC 5280, 6.1.4 n).
    var maySignCertificates: Bool { keyUsage?.keyCertSign ?? !has(ExtensionIdentifier.keyUsage) }

    /// The most intermediates that may stand below this authority; nil for no limit.
    var pathLength: Int? {
        if case .isCertificateAuthority(let length) = basicConstraints { length } else { nil }
    }

    /// Whether basic constraints and key usage, where they are there, can be read.
    package var hasReadableExtensions: Bool {
        basicConstraints != nil && (keyUsage != nil || !has(ExtensionIdentifier.keyUsage))
    }
}
