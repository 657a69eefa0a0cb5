package import AppReceiptParsing
package import SwiftASN1
import X509

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A chain that was judged good at a date: signer, one intermediate, a pinned anchor.
///
/// A class, because certificates have many parts and a verified receipt passes its chain on.
package final class CertificateChain: Sendable {
    package let signer: Certificate
    package let signerKey: CertificateKey
    /// Nil for a certificate of Xcode's that is trusted by itself.
    package let intermediate: Certificate?
    package let anchor: Certificate?

    init(signer: Certificate, signerKey: CertificateKey, intermediate: Certificate?, anchor: Certificate?) {
        self.signer = signer
        self.signerKey = signerKey
        self.intermediate = intermediate
        self.anchor = anchor
    }

    package var isXcode: Bool { anchor == nil }
}

/// Chains are the same if their certificates are.
extension CertificateChain: Hashable {
    package static func == (left: CertificateChain, right: CertificateChain) -> Bool {
        left === right
            || left.signer == right.signer && left.intermediate == right.intermediate && left.anchor == right.anchor
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(signer) }
}

/// The chain rules (rules of trust 2 to 6).
package struct ChainRules: Sendable {
    let anchors: TrustAnchors
    let xcode: XcodeTrust
    let cache = ChainCache()

    package init(anchors: TrustAnchors, xcode: XcodeTrust) {
        self.anchors = anchors
        self.xcode = xcode
    }

    /// Finds the signer's certificate and proves it, from the anchor down.
    func validate(
        _ container: ReceiptContainer, environment: ReceiptEnvironment?, at date: Date
    ) throws(ReceiptError) -> CertificateChain {
        let date = Self.wholeSecond(date)
        if let chain = cache.chain(of: container, at: date) { return chain }
        let certificates = try Self.certificates(of: container)
        let signer = try Self.signer(container.signer.identifier, among: certificates)
        if let chain = try xcode.validate(signer, environment: environment, at: date) { return chain }
        guard !signer.isSelfIssued else { throw ReceiptError(.signerSelfSigned) }
        // Said here already, because an authority's own chain would only be found too short or too long.
        guard !signer.isAuthority else { throw ReceiptError(.signerIsAuthority) }
        return try chain(from: signer, among: certificates, at: date)
    }

    /// Certificates name whole seconds, the last of them included (RFC 5280, 4.1.2.5).
    static func wholeSecond(_ date: Date) -> Date {
        Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down))
    }

    /// The container's certificates, each once. One that is malformed is refused even if nobody needs it: no genuine
    /// receipt carries one.
    static func certificates(of container: ReceiptContainer) throws(ReceiptError) -> [Certificate] {
        var certificates: [Certificate] = []
        for (index, der) in container.certificates.enumerated() where !container.certificates[..<index].contains(der) {
            guard let certificate = Certificate(der: der) else {
                throw ReceiptError(
                    .certificateMalformed, offset: der.startIndex - container.bytes.startIndex,
                    "Certificate number \(index + 1) in the container is malformed.")
            }
            certificates.append(certificate)
        }
        return certificates
    }

    /// The certificate that the signer's identifier names, never "the first".
    static func signer(
        _ identifier: ReceiptContainer.Signer.Identifier, among certificates: [Certificate]
    ) throws(ReceiptError) -> Certificate {
        let matches = certificates.filter { certificate in
            switch identifier {
            case .issuerAndSerialNumber(let issuer, let serialNumber):
                certificate.issuer == issuer && certificate.serialNumber == serialNumber
            case .subjectKeyIdentifier(let key):
                certificate.subjectKeyIdentifier == key
            }
        }
        guard let signer = matches.first else { throw ReceiptError(.signerCertificateMissing) }
        guard matches.count == 1 else { throw ReceiptError(.signerCertificateAmbiguous) }
        return signer
    }

    /// Tries each intermediate and anchor that bear the right names; at most five times the number of anchors.
    private func chain(
        from signer: Certificate, among certificates: [Certificate], at date: Date
    ) throws(ReceiptError) -> CertificateChain {
        // Of several failures the one that got furthest is the most useful.
        var best = (progress: -1, error: ReceiptError(.intermediateMissing))
        func note(_ progress: Int, _ error: ReceiptError) {
            if progress > best.progress { best = (progress, error) }
        }
        let names = { (name: ArraySlice<UInt8>) in self.anchors.anchors.filter { $0.certificate.subject == name } }
        if !names(signer.issuer).isEmpty { note(0, ReceiptError(.chainTooShort)) }
        for intermediate in certificates where intermediate.subject == signer.issuer && !intermediate.isSelfIssued {
            let candidates = names(intermediate.issuer)
            if candidates.isEmpty {
                let issuerIsHere = certificates.contains {
                    $0.subject == intermediate.issuer && !$0.isSelfIssued
                }
                note(1, ReceiptError(issuerIsHere ? .chainTooLong : .rootNotTrusted))
            }
            for anchor in candidates {
                var attempt = ChainAttempt(date: date)
                do throws(ReceiptError) {
                    let chain = try attempt.run(signer: signer, intermediate: intermediate, anchor: anchor)
                    if best.progress < 2 { cache.keep(chain) }
                    return chain
                } catch {
                    note(2 + attempt.progress, error)
                }
            }
        }
        // A self-issued certificate with the signer's issuer's name is somebody's root.
        if certificates.contains(where: { $0.subject == signer.issuer && $0.isSelfIssued }) {
            note(0, ReceiptError(.chainTooShort))
        }
        throw best.error
    }
}

/// One way from the anchor down to the signer. No key is used before its certificate is proven.
package struct ChainAttempt {
    let date: Date
    /// How many steps were passed.
    private(set) var progress = 0

    /// - Parameter date: when every certificate must be valid.
    package init(date: Date) { self.date = date }

    mutating func run(
        signer: Certificate, intermediate: Certificate, anchor: TrustAnchor
    ) throws(ReceiptError) -> CertificateChain {
        let intermediateKey = try prove(
            intermediate, under: anchor, marker: ExtensionIdentifier.intermediateMarker)
        try check(signer, issuedWith: intermediateKey, .signer)
        try step(signer.isNoAuthority, .signerIsAuthority)
        try step(signer.maySign, .signerKeyUsage)
        try step(signer.has(ExtensionIdentifier.signerMarker), .signerMarkerMissing)
        let signerKey = try key(of: signer, .signer)
        return CertificateChain(
            signer: signer, signerKey: signerKey, intermediate: intermediate, anchor: anchor.certificate)
    }

    /// The key of an intermediate that this anchor issued and that may issue certificates for signers itself.
    ///
    /// - Parameter marker: the extension that it must have, nil for none. Only the exception for receipts from before
    ///   iOS 7 has none.
    package mutating func prove(
        _ intermediate: Certificate, under anchor: TrustAnchor, marker: ASN1ObjectIdentifier?
    ) throws(ReceiptError) -> CertificateKey {
        try checkAnchor(anchor.certificate)
        let anchorKey = try accepted(anchor.key, .anchor)
        try check(intermediate, issuedWith: anchorKey, .intermediate)
        try step(intermediate.isAuthority, .intermediateNotAuthority)
        try step(intermediate.pathLength ?? 0 >= 0, .pathLengthExceeded)
        try step(intermediate.maySignCertificates, .intermediateKeyUsage)
        try step(marker.map(intermediate.has) ?? true, .intermediateMarkerMissing)
        return try key(of: intermediate, .intermediate)
    }

    /// Anchors are trusted by configuration; but one that could not have issued an intermediate did not.
    private mutating func checkAnchor(_ anchor: Certificate) throws(ReceiptError) {
        try step(date >= anchor.notBefore, .anchorNotYetValid)
        try step(date <= anchor.notAfter, .anchorExpired)
        try step(anchor.isAuthority && anchor.hasReadableExtensions, .anchorUnfit)
        try step(anchor.maySignCertificates, .anchorUnfit)
        try step(!anchor.hasUnknownCriticalExtension, .anchorUnfit)
        try step(anchor.pathLength ?? 1 >= 1, .pathLengthExceeded)
    }

    /// What holds for intermediate and signer alike. That the names fit is up to who chose the issuer.
    package mutating func check(
        _ certificate: Certificate, issuedWith key: CertificateKey, _ codes: RoleCodes
    ) throws(ReceiptError) {
        try step(certificate.algorithmFieldsAgree, codes.algorithmFieldsDisagree)
        guard let scheme = certificate.signatureScheme else { throw ReceiptError(codes.algorithmUnsupported) }
        try step(key.isValidSignature(of: certificate, scheme), codes.signatureInvalid)
        try step(date >= certificate.notBefore, codes.notYetValid)
        try step(date <= certificate.notAfter, codes.expired)
        try step(!certificate.hasUnknownCriticalExtension, codes.criticalExtension)
        try step(certificate.hasReadableExtensions && certificate.hasReadableNames, .certificateMalformed)
    }

    private mutating func key(of certificate: Certificate, _ codes: RoleCodes) throws(ReceiptError) -> CertificateKey {
        try accepted(Result { () throws(CertificateKey.Fault) in try CertificateKey(certificate.keyInfo) }, codes.key)
    }

    private func accepted(
        _ key: Result<CertificateKey, CertificateKey.Fault>, _ codes: KeyCodes
    ) throws(ReceiptError) -> CertificateKey {
        do throws(CertificateKey.Fault) {
            return try key.get()
        } catch {
            throw ReceiptError(codes.code(for: error))
        }
    }

    private mutating func step(_ holds: Bool, _ code: ReceiptError.Code) throws(ReceiptError) {
        guard holds else { throw ReceiptError(code) }
        progress += 1
    }
}

/// The codes of the faults that a key may have.
struct KeyCodes {
    let unsupported, tooWeak, tooLarge: ReceiptError.Code

    static let anchor = KeyCodes(
        unsupported: .anchorKeyUnsupported, tooWeak: .anchorKeyTooWeak, tooLarge: .anchorKeyTooLarge)
    static let intermediate = KeyCodes(
        unsupported: .intermediateKeyUnsupported, tooWeak: .intermediateKeyTooWeak, tooLarge: .intermediateKeyTooLarge)
    static let signer = KeyCodes(
        unsupported: .signerKeyUnsupported, tooWeak: .signerKeyTooWeak, tooLarge: .signerKeyTooLarge)

    func code(for fault: CertificateKey.Fault) -> ReceiptError.Code {
        switch fault {
        case .unsupported: unsupported
        case .tooWeak: tooWeak
        case .tooLarge: tooLarge
        }
    }
}

/// The codes of the faults that intermediate and signer share.
package struct RoleCodes {
    let algorithmFieldsDisagree, algorithmUnsupported, signatureInvalid: ReceiptError.Code
    let notYetValid, expired, criticalExtension: ReceiptError.Code
    let key: KeyCodes

    static let intermediate = RoleCodes(
        algorithmFieldsDisagree: .intermediateAlgorithmFieldsDisagree,
        algorithmUnsupported: .intermediateAlgorithmUnsupported, signatureInvalid: .intermediateSignatureInvalid,
        notYetValid: .intermediateNotYetValid, expired: .intermediateExpired,
        criticalExtension: .intermediateCriticalExtension, key: .intermediate)

    package static let signer = RoleCodes(
        algorithmFieldsDisagree: .signerAlgorithmFieldsDisagree,
        algorithmUnsupported: .signerAlgorithmUnsupported, signatureInvalid: .signerSignatureInvalid,
        notYetValid: .signerNotYetValid, expired: .signerExpired, criticalExtension: .signerCriticalExtension,
        key: .signer)
}

extension Certificate {
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

extension CertificateKey {
    /// Whether this key signed `certificate` with that scheme.
    func isValidSignature(of certificate: Certificate, _ scheme: SignatureScheme) -> Bool {
        switch (self, scheme) {
        case (.rsa, .rsa(.some(let digest))), (.p256, .ecdsa(.some(let digest))), (.p384, .ecdsa(.some(let digest))):
            isValidSignature(certificate.signature, over: certificate.toBeSigned, digest)
        default:
            false
        }
    }
}
