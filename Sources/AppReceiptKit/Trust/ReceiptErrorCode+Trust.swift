public import AppReceiptParsing

// The codes of the certificate chain and the signature, in the order of the rules. docs/errors.md lists them too.

private let otherAnchor = "Pass a root with an RSA key of 2048 to 8192 bits, or with a key on P-256 or P-384."
private let forged = "Apple never signs data in this form. Treat it as forged or damaged, and request it again."

extension ReceiptError.Code {
    /// The receipt has no creation date (attribute 12), at which its certificates are validated.
    public static let creationDateMissing = Self(
        "creation-date-missing", .certificateChain,
        cause: "The receipt has no creation date, so its certificates can't be validated.",
        remedy: forged)

    /// A certificate in the container isn't well-formed DER.
    public static let certificateMalformed = Self(
        "certificate-malformed", .certificateChain,
        cause: "A certificate in the container is malformed.",
        remedy: forged)

    /// The certificate that the signer's identifier refers to isn't in the container.
    public static let signerCertificateMissing = Self(
        "signer-certificate-missing", .certificateChain,
        cause: "The certificate that the signer's identifier refers to isn't in the container.",
        remedy: forged)

    /// The signer's identifier matches several different certificates.
    public static let signerCertificateAmbiguous = Self(
        "signer-certificate-ambiguous", .certificateChain,
        cause: "The signer's identifier matches more than one certificate in the container.",
        remedy: forged)

    /// The signer's certificate is self-signed.
    public static let signerSelfSigned = Self(
        "signer-self-signed", .certificateChain,
        cause: "The signer's certificate is self-signed.",
        remedy:
            "The App Store didn't sign this. For data from Xcode, pass Xcode's certificate; for test data, pass its root certificate."
    )

    /// The certificate that issued the signer's certificate isn't in the container.
    public static let intermediateMissing = Self(
        "intermediate-missing", .certificateChain,
        cause: "The certificate that issued the signer's certificate isn't in the container.",
        remedy: forged)

    /// A root issued the signer's certificate directly.
    public static let chainTooShort = Self(
        "chain-too-short", .certificateChain,
        cause: "A root issued the signer's certificate directly, without an intermediate.",
        remedy: forged)

    /// There is more than one intermediate between signer and root.
    public static let chainTooLong = Self(
        "chain-too-long", .certificateChain,
        cause: "The chain has more than one intermediate.",
        remedy: forged)

    /// The chain ends at a root that isn't a trust anchor.
    public static let rootNotTrusted = Self(
        "root-not-trusted", .certificateChain,
        cause: "The chain doesn't end at a root that is trusted here.",
        remedy:
            "Data from the App Store chains to Apple's roots: check that they are trusted. For test data, pass its root certificate. Never trust a root certificate that arrives with the data."
    )

    /// The trust anchor wasn't yet valid at the creation date.
    public static let anchorNotYetValid = Self(
        "anchor-not-yet-valid", .certificateChain,
        cause: "The trusted root wasn't yet valid when the data was signed.",
        remedy: forged)

    /// The trust anchor had expired at the creation date.
    public static let anchorExpired = Self(
        "anchor-expired", .certificateChain,
        cause: "The trusted root had expired when the data was signed.",
        remedy: forged)

    /// The trust anchor has a key that is neither RSA nor on P-256 or P-384.
    public static let anchorKeyUnsupported = Self(
        "anchor-key-unsupported", .certificateChain,
        cause: "The trusted root has a key of a kind that isn't accepted.",
        remedy: otherAnchor)

    /// The trust anchor has an RSA key of less than 2048 bits or with a small exponent.
    public static let anchorKeyTooWeak = Self(
        "anchor-key-too-weak", .certificateChain,
        cause: "The trusted root has an RSA key of less than 2048 bits or with a small exponent.",
        remedy: otherAnchor)

    /// The trust anchor has an RSA key of more than 8192 bits.
    public static let anchorKeyTooLarge = Self(
        "anchor-key-too-large", .certificateChain,
        cause: "The trusted root has an RSA key of more than 8192 bits.",
        remedy: otherAnchor)

    /// The trust anchor may not issue certificates.
    public static let anchorUnfit = Self(
        "anchor-unfit", .certificateChain,
        cause:
            "The trusted root may not issue certificates: it isn't a certificate authority, or its key usage or a critical extension forbids it.",
        remedy: "Pass a root certificate as the trust anchor, not a signer's certificate.")

    /// The path length of the trust anchor or the intermediate doesn't allow the next certificate.
    public static let pathLengthExceeded = Self(
        "path-length-exceeded", .certificateChain,
        cause: "The path length of the trusted root or the intermediate doesn't allow the next certificate.",
        remedy: forged)

    /// The two signature algorithm fields of the intermediate differ.
    public static let intermediateAlgorithmFieldsDisagree = Self(
        "intermediate-algorithm-fields-disagree", .certificateChain,
        cause: "The two signature algorithm fields of the intermediate differ.",
        remedy: forged)

    /// The intermediate is signed with an algorithm that isn't accepted.
    public static let intermediateAlgorithmUnsupported = Self(
        "intermediate-algorithm-unsupported", .certificateChain,
        cause: "The intermediate is signed with an algorithm that isn't accepted.",
        remedy: forged)

    /// The issuer didn't sign the intermediate.
    public static let intermediateSignatureInvalid = Self(
        "intermediate-signature-invalid", .certificateChain,
        cause: "The intermediate's signature is invalid: its issuer didn't sign it.",
        remedy:
            "If this is test data, pass its own root certificate. Otherwise treat it as forged."
    )

    /// The intermediate wasn't yet valid at the creation date.
    public static let intermediateNotYetValid = Self(
        "intermediate-not-yet-valid", .certificateChain,
        cause: "The intermediate wasn't yet valid when the data was signed.",
        remedy: forged)

    /// The intermediate had expired at the creation date.
    public static let intermediateExpired = Self(
        "intermediate-expired", .certificateChain,
        cause: "The intermediate had expired when the data was signed.",
        remedy: forged)

    /// The intermediate has a critical extension that isn't supported.
    public static let intermediateCriticalExtension = Self(
        "intermediate-critical-extension", .certificateChain,
        cause: "The intermediate has a critical extension or name constraints that aren't supported.",
        remedy: forged)

    /// The intermediate isn't a certificate authority.
    public static let intermediateNotAuthority = Self(
        "intermediate-not-authority", .certificateChain,
        cause: "The intermediate isn't a certificate authority.",
        remedy: forged)

    /// The key usage of the intermediate doesn't allow its use here.
    public static let intermediateKeyUsage = Self(
        "intermediate-key-usage", .certificateChain,
        cause: "The key usage of the intermediate doesn't allow it to sign certificates.",
        remedy: forged)

    /// The intermediate lacks Apple's marker for issuers of receipt signers.
    public static let intermediateMarkerMissing = Self(
        "intermediate-marker-missing", .certificateChain,
        cause: "The intermediate lacks Apple's marker 1.2.840.113635.100.6.2.1.",
        remedy: forged)

    /// The intermediate has a key that is neither RSA nor on P-256 or P-384.
    public static let intermediateKeyUnsupported = Self(
        "intermediate-key-unsupported", .certificateChain,
        cause: "The intermediate has a key of a kind that isn't accepted.",
        remedy: forged)

    /// The intermediate has an RSA key of less than 2048 bits or with a small exponent.
    public static let intermediateKeyTooWeak = Self(
        "intermediate-key-too-weak", .certificateChain,
        cause: "The intermediate has an RSA key of less than 2048 bits or with a small exponent.",
        remedy: forged)

    /// The intermediate has an RSA key of more than 8192 bits.
    public static let intermediateKeyTooLarge = Self(
        "intermediate-key-too-large", .certificateChain,
        cause: "The intermediate has an RSA key of more than 8192 bits.",
        remedy: forged)

    /// The two signature algorithm fields of the signer's certificate differ.
    public static let signerAlgorithmFieldsDisagree = Self(
        "signer-algorithm-fields-disagree", .certificateChain,
        cause: "The two signature algorithm fields of the signer's certificate differ.",
        remedy: forged)

    /// The signer's certificate is signed with an algorithm that isn't accepted.
    public static let signerAlgorithmUnsupported = Self(
        "signer-algorithm-unsupported", .certificateChain,
        cause: "The signer's certificate is signed with an algorithm that isn't accepted.",
        remedy: forged)

    /// The issuer didn't sign the signer's certificate.
    public static let signerSignatureInvalid = Self(
        "signer-signature-invalid", .certificateChain,
        cause: "The signature of the signer's certificate is invalid: its issuer didn't sign it.",
        remedy: forged)

    /// The signer's certificate wasn't yet valid at the creation date.
    public static let signerNotYetValid = Self(
        "signer-not-yet-valid", .certificateChain,
        cause: "The signer's certificate wasn't yet valid when the data was signed.",
        remedy: forged)

    /// The signer's certificate had expired at the creation date.
    public static let signerExpired = Self(
        "signer-expired", .certificateChain,
        cause: "The signer's certificate had expired when the data was signed.",
        remedy: forged)

    /// The signer's certificate has a critical extension that isn't supported.
    public static let signerCriticalExtension = Self(
        "signer-critical-extension", .certificateChain,
        cause: "The signer's certificate has a critical extension or name constraints that aren't supported.",
        remedy: forged)

    /// The signer's certificate is a CA certificate.
    public static let signerIsAuthority = Self(
        "signer-is-authority", .certificateChain,
        cause: "The signer's certificate is a CA certificate.",
        remedy: forged)

    /// The key usage of the signer's certificate doesn't allow its use here.
    public static let signerKeyUsage = Self(
        "signer-key-usage", .certificateChain,
        cause: "The key usage of the signer's certificate doesn't allow it to sign data.",
        remedy: forged)

    /// The signer's certificate lacks Apple's marker for receipt signers.
    public static let signerMarkerMissing = Self(
        "signer-marker-missing", .certificateChain,
        cause: "The signer's certificate lacks Apple's marker 1.2.840.113635.100.6.11.1.",
        remedy: forged)

    /// The signer's certificate has a key that is neither RSA nor on P-256 or P-384.
    public static let signerKeyUnsupported = Self(
        "signer-key-unsupported", .certificateChain,
        cause: "The signer's certificate has a key of a kind that isn't accepted.",
        remedy: forged)

    /// The signer's certificate has an RSA key of less than 2048 bits or with a small exponent.
    public static let signerKeyTooWeak = Self(
        "signer-key-too-weak", .certificateChain,
        cause: "The signer's certificate has an RSA key of less than 2048 bits or with a small exponent.",
        remedy: forged)

    /// The signer's certificate has an RSA key of more than 8192 bits.
    public static let signerKeyTooLarge = Self(
        "signer-key-too-large", .certificateChain,
        cause: "The signer's certificate has an RSA key of more than 8192 bits.",
        remedy: forged)

    /// The receipt comes from Xcode, and no Xcode certificate is trusted.
    public static let xcodeNotTrusted = Self(
        "xcode-not-trusted", .certificateChain,
        cause: "The data comes from Xcode, and no Xcode certificate is trusted.",
        remedy:
            "Trust the StoreKit Test certificate in debug builds and tests, never in production: its private key ships with Xcode."
    )

    /// The receipt claims to come from Xcode, but a certificate other than the trusted one signed it.
    public static let xcodeCertificateMismatch = Self(
        "xcode-certificate-mismatch", .certificateChain,
        cause: "The data claims to come from Xcode, but a certificate other than the trusted one signed it.",
        remedy: "Export the certificate that Xcode signs with, and trust that one.")

    /// A trusted Xcode certificate signed a receipt that doesn't claim to come from Xcode.
    public static let xcodeCertificateMisused = Self(
        "xcode-certificate-misused", .certificateChain,
        cause: "The data is signed with the trusted Xcode certificate but doesn't claim to come from Xcode.",
        remedy: forged)

    /// The signer used a digest other than SHA-1, SHA-256, SHA-384 or SHA-512.
    public static let digestAlgorithmUnsupported = Self(
        "digest-algorithm-unsupported", .signature,
        cause: "The signer used a digest that isn't accepted.",
        remedy: forged)

    /// The container lists another digest than the signer used.
    public static let digestAlgorithmsDisagree = Self(
        "digest-algorithms-disagree", .signature,
        cause: "The container lists another digest than the signer used.",
        remedy: forged)

    /// The signature algorithm isn't RSA with PKCS #1 v1.5 padding.
    public static let signatureAlgorithmUnsupported = Self(
        "signature-algorithm-unsupported", .signature,
        cause: "The signer used a signature algorithm that isn't accepted.",
        remedy: forged)

    /// The container is signed with ECDSA. No known receipt is.
    public static let signatureAlgorithmECDSA = Self(
        "signature-algorithm-ecdsa", .signature,
        cause: "The container is signed with ECDSA, which isn't accepted for receipts.",
        remedy: "If Apple begins to sign receipts with ECDSA, use a newer version of this library.")

    /// The signature algorithm is RSA, but the signer's key isn't an RSA key.
    public static let signatureKeyMismatch = Self(
        "signature-key-mismatch", .signature,
        cause: "The signature algorithm is RSA, but the signer's key isn't an RSA key.",
        remedy: forged)

    /// The signature algorithm specifies another digest than the signer used.
    public static let signatureAlgorithmDisagrees = Self(
        "signature-algorithm-disagrees", .signature,
        cause: "The signature algorithm specifies another digest than the signer used.",
        remedy: forged)

    /// A digest or signature algorithm has parameters other than NULL.
    public static let algorithmParametersMalformed = Self(
        "algorithm-parameters-malformed", .signature,
        cause: "A digest or signature algorithm has parameters, which aren't allowed.",
        remedy: forged)

    /// The signed attributes aren't a well-formed set of attributes.
    public static let signedAttributesMalformed = Self(
        "signed-attributes-malformed", .signature,
        cause: "The signed attributes are malformed.",
        remedy: forged)

    /// A signed attribute occurs twice.
    public static let signedAttributeDuplicate = Self(
        "signed-attribute-duplicate", .signature,
        cause: "A signed attribute occurs twice.",
        remedy: forged)

    /// A signed attribute has several values.
    public static let signedAttributeMultipleValues = Self(
        "signed-attribute-multiple-values", .signature,
        cause: "A signed attribute has several values; only one is allowed.",
        remedy: forged)

    /// The signed attributes lack the content type.
    public static let contentTypeAttributeMissing = Self(
        "content-type-attribute-missing", .signature,
        cause: "The signed attributes lack the content type.",
        remedy: forged)

    /// The signed content type isn't `data`.
    public static let contentTypeAttributeWrong = Self(
        "content-type-attribute-wrong", .signature,
        cause: "The signed content type isn't the type of the content.",
        remedy: forged)

    /// The signed attributes lack the message digest.
    public static let messageDigestAttributeMissing = Self(
        "message-digest-attribute-missing", .signature,
        cause: "The signed attributes lack the message digest.",
        remedy: forged)

    /// The digest of the content differs from the signed message digest.
    public static let messageDigestMismatch = Self(
        "message-digest-mismatch", .signature,
        cause: "The digest of the content differs from the signed message digest.",
        remedy: forged)

    /// The signature is invalid: the content was altered, or another key signed it.
    public static let signatureInvalid = Self(
        "signature-invalid", .signature,
        cause: "The signature is invalid: the content was altered, or another key signed it.",
        remedy: forged)

    /// A certificate can't be used as a trust anchor.
    public static let trustAnchorMalformed = Self(
        "trust-anchor-malformed", .certificateChain,
        cause: "The certificate can't be used as a trust anchor.",
        remedy: "Pass certificates in DER or PEM.")
}
