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

    /// A certificate in the container is not well-formed DER.
    public static let certificateMalformed = Self(
        "certificate-malformed", .certificateChain,
        cause: "A certificate in the container is malformed.",
        remedy: forged)

    /// No certificate in the container is the one that the signer's identifier names.
    public static let signerCertificateMissing = Self(
        "signer-certificate-missing", .certificateChain,
        cause: "The certificate that the signer's identifier names is not in the container.",
        remedy: forged)

    /// The signer's identifier names several different certificates.
    public static let signerCertificateAmbiguous = Self(
        "signer-certificate-ambiguous", .certificateChain,
        cause: "The signer's identifier names more than one certificate in the container.",
        remedy: forged)

    /// The signer's certificate is its own issuer.
    public static let signerSelfSigned = Self(
        "signer-self-signed", .certificateChain,
        cause: "The signer's certificate is self-signed.",
        remedy:
            "The App Store did not sign this. For data from Xcode, pass its certificate; for test data, pass its root."
    )

    /// The certificate that issued the signer's is not in the container.
    public static let intermediateMissing = Self(
        "intermediate-missing", .certificateChain,
        cause: "The certificate that issued the signer's certificate is not in the container.",
        remedy: forged)

    /// The signer's certificate was issued by a root directly.
    public static let chainTooShort = Self(
        "chain-too-short", .certificateChain,
        cause: "The signer's certificate was issued by a root, without an intermediate between them.",
        remedy: forged)

    /// There is more than one intermediate between signer and root.
    public static let chainTooLong = Self(
        "chain-too-long", .certificateChain,
        cause: "The chain has more than one intermediate.",
        remedy: forged)

    /// The chain ends at a root that is not among the trust anchors.
    public static let rootNotTrusted = Self(
        "root-not-trusted", .certificateChain,
        cause: "The chain does not end at a trusted root.",
        remedy:
            "Apple did not sign this. If it was made for a test, name the root that signed it; never add a root that came along with it."
    )

    /// The trust anchor was not yet valid at the creation date.
    public static let anchorNotYetValid = Self(
        "anchor-not-yet-valid", .certificateChain,
        cause: "The trusted root was not yet valid at the receipt's creation date.",
        remedy: forged)

    /// The trust anchor had expired at the creation date.
    public static let anchorExpired = Self(
        "anchor-expired", .certificateChain,
        cause: "The trusted root had expired at the receipt's creation date.",
        remedy: forged)

    /// The trust anchor has a key that is neither RSA nor on P-256 or P-384.
    public static let anchorKeyUnsupported = Self(
        "anchor-key-unsupported", .certificateChain,
        cause: "The trusted root has a key of a kind that is not accepted.",
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
            "The trusted root may not issue certificates: it is no authority, or its key usage or a critical extension forbids it.",
        remedy: "Name a root certificate as trust anchor, not the certificate of a signer.")

    /// The trust anchor allows no intermediate below it.
    public static let pathLengthExceeded = Self(
        "path-length-exceeded", .certificateChain,
        cause: "The trusted root allows no intermediate below it.",
        remedy: forged)

    /// The two fields of the intermediate that name its signature algorithm differ.
    public static let intermediateAlgorithmFieldsDisagree = Self(
        "intermediate-algorithm-fields-disagree", .certificateChain,
        cause: "The intermediate names two different signature algorithms.",
        remedy: forged)

    /// The intermediate is signed with an algorithm that is not accepted.
    public static let intermediateAlgorithmUnsupported = Self(
        "intermediate-algorithm-unsupported", .certificateChain,
        cause: "The intermediate is signed with an algorithm that is not accepted.",
        remedy: forged)

    /// The signature on the intermediate is not its issuer's.
    public static let intermediateSignatureInvalid = Self(
        "intermediate-signature-invalid", .certificateChain,
        cause: "The signature on the intermediate is not that of its issuer.",
        remedy:
            "If it was made for a test, check that the root that was named is its own; else treat it as forged or damaged."
    )

    /// The intermediate was not yet valid at the creation date.
    public static let intermediateNotYetValid = Self(
        "intermediate-not-yet-valid", .certificateChain,
        cause: "The intermediate was not yet valid at the receipt's creation date.",
        remedy: forged)

    /// The intermediate had expired at the creation date.
    public static let intermediateExpired = Self(
        "intermediate-expired", .certificateChain,
        cause: "The intermediate had expired at the receipt's creation date.",
        remedy: forged)

    /// The intermediate has a critical extension that is not understood.
    public static let intermediateCriticalExtension = Self(
        "intermediate-critical-extension", .certificateChain,
        cause: "The intermediate has a critical extension, or name constraints, that are not understood.",
        remedy: forged)

    /// The intermediate is not a certificate authority.
    public static let intermediateNotAuthority = Self(
        "intermediate-not-authority", .certificateChain,
        cause: "The intermediate is not a certificate authority.",
        remedy: forged)

    /// The key usage of the intermediate does not allow what it was used for.
    public static let intermediateKeyUsage = Self(
        "intermediate-key-usage", .certificateChain,
        cause: "The key usage of the intermediate does not allow it to sign certificates.",
        remedy: forged)

    /// The intermediate lacks Apple's marker for receipt-issuing authorities.
    public static let intermediateMarkerMissing = Self(
        "intermediate-marker-missing", .certificateChain,
        cause: "The intermediate lacks Apple's marker 1.2.840.113635.100.6.2.1.",
        remedy: forged)

    /// The intermediate has a key that is neither RSA nor on P-256 or P-384.
    public static let intermediateKeyUnsupported = Self(
        "intermediate-key-unsupported", .certificateChain,
        cause: "The intermediate has a key of a kind that is not accepted.",
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

    /// The two fields of the signer's certificate that name its signature algorithm differ.
    public static let signerAlgorithmFieldsDisagree = Self(
        "signer-algorithm-fields-disagree", .certificateChain,
        cause: "The signer's certificate names two different signature algorithms.",
        remedy: forged)

    /// The signer's certificate is signed with an algorithm that is not accepted.
    public static let signerAlgorithmUnsupported = Self(
        "signer-algorithm-unsupported", .certificateChain,
        cause: "The signer's certificate is signed with an algorithm that is not accepted.",
        remedy: forged)

    /// The signature on the signer's certificate is not its issuer's.
    public static let signerSignatureInvalid = Self(
        "signer-signature-invalid", .certificateChain,
        cause: "The signature on the signer's certificate is not its issuer's.",
        remedy: forged)

    /// The signer's certificate was not yet valid at the creation date.
    public static let signerNotYetValid = Self(
        "signer-not-yet-valid", .certificateChain,
        cause: "The signer's certificate was not yet valid at the receipt's creation date.",
        remedy: forged)

    /// The signer's certificate had expired at the creation date.
    public static let signerExpired = Self(
        "signer-expired", .certificateChain,
        cause: "The signer's certificate had expired at the receipt's creation date.",
        remedy: forged)

    /// The signer's certificate has a critical extension that is not understood.
    public static let signerCriticalExtension = Self(
        "signer-critical-extension", .certificateChain,
        cause: "The signer's certificate has a critical extension, or name constraints, that are not understood.",
        remedy: forged)

    /// The signer's certificate is that of a certificate authority.
    public static let signerIsAuthority = Self(
        "signer-is-authority", .certificateChain,
        cause: "The signer's certificate is a CA certificate.",
        remedy: forged)

    /// The key usage of the signer's certificate does not allow what it was used for.
    public static let signerKeyUsage = Self(
        "signer-key-usage", .certificateChain,
        cause: "The key usage of the signer's certificate does not allow it to sign receipts.",
        remedy: forged)

    /// The signer's certificate lacks Apple's marker for receipt signers.
    public static let signerMarkerMissing = Self(
        "signer-marker-missing", .certificateChain,
        cause: "The signer's certificate lacks Apple's marker 1.2.840.113635.100.6.11.1.",
        remedy: forged)

    /// The signer's certificate has a key that is neither RSA nor on P-256 or P-384.
    public static let signerKeyUnsupported = Self(
        "signer-key-unsupported", .certificateChain,
        cause: "The signer's certificate has a key of a kind that is not accepted.",
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

    /// The receipt comes from Xcode, whose certificate is not trusted unless it is named.
    public static let xcodeNotTrusted = Self(
        "xcode-not-trusted", .certificateChain,
        cause: "This comes from Xcode, and no Xcode certificate is trusted.",
        remedy:
            "Name the StoreKit Test certificate as trusted in debug builds and tests, never in production: its private key ships with Xcode."
    )

    /// The receipt comes from Xcode but is signed with another certificate than the one named.
    public static let xcodeCertificateMismatch = Self(
        "xcode-certificate-mismatch", .certificateChain,
        cause: "The data claims to come from Xcode, but a certificate other than the trusted one signed it.",
        remedy: "Export the certificate that Xcode signs with, and pass that one.")

    /// Xcode's certificate signed a receipt that says it comes from elsewhere.
    public static let xcodeCertificateMisused = Self(
        "xcode-certificate-misused", .certificateChain,
        cause: "The receipt is signed with the trusted Xcode certificate but does not claim to come from Xcode.",
        remedy: forged)

    /// The signer used a digest other than SHA-1, SHA-256, SHA-384 or SHA-512.
    public static let digestAlgorithmUnsupported = Self(
        "digest-algorithm-unsupported", .signature,
        cause: "The signer used a digest that is not accepted.",
        remedy: forged)

    /// The container's list of digests is not the signer's digest.
    public static let digestAlgorithmsDisagree = Self(
        "digest-algorithms-disagree", .signature,
        cause: "The container announces another digest than the signer used.",
        remedy: forged)

    /// The signature algorithm is not RSA with PKCS #1 v1.5 padding.
    public static let signatureAlgorithmUnsupported = Self(
        "signature-algorithm-unsupported", .signature,
        cause: "The signer used a signature algorithm that is not accepted.",
        remedy: forged)

    /// The container is signed with ECDSA, which no receipt is as far as known.
    public static let signatureAlgorithmECDSA = Self(
        "signature-algorithm-ecdsa", .signature,
        cause: "The container is signed with ECDSA, which is not accepted for receipts.",
        remedy: "If Apple begins to sign receipts with ECDSA, use a newer version of this library.")

    /// The signature algorithm is RSA, but the signer's key is not.
    public static let signatureKeyMismatch = Self(
        "signature-key-mismatch", .signature,
        cause: "The signature algorithm is RSA, but the signer's key is not an RSA key.",
        remedy: forged)

    /// The signature algorithm names another digest than the signer.
    public static let signatureAlgorithmDisagrees = Self(
        "signature-algorithm-disagrees", .signature,
        cause: "The signature algorithm names another digest than the signer used.",
        remedy: forged)

    /// A digest or signature algorithm has parameters other than NULL.
    public static let algorithmParametersMalformed = Self(
        "algorithm-parameters-malformed", .signature,
        cause: "A digest or signature algorithm has parameters, which are not allowed.",
        remedy: forged)

    /// The signed attributes are not a well-formed set of attributes.
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

    /// There are signed attributes, but no content type among them.
    public static let contentTypeAttributeMissing = Self(
        "content-type-attribute-missing", .signature,
        cause: "The signed attributes lack the content type.",
        remedy: forged)

    /// The signed content type is not 'data'.
    public static let contentTypeAttributeWrong = Self(
        "content-type-attribute-wrong", .signature,
        cause: "The signed content type is not the type of the content.",
        remedy: forged)

    /// There are signed attributes, but no message digest among them.
    public static let messageDigestAttributeMissing = Self(
        "message-digest-attribute-missing", .signature,
        cause: "The signed attributes lack the message digest.",
        remedy: forged)

    /// The signed message digest is not that of the content.
    public static let messageDigestMismatch = Self(
        "message-digest-mismatch", .signature,
        cause: "The content is not what was signed: its digest differs from the signed one.",
        remedy: forged)

    /// The signature is not the signer's, or what it covers was altered.
    public static let signatureInvalid = Self(
        "signature-invalid", .signature,
        cause: "The signature is invalid: the content was altered, or another key signed it.",
        remedy: forged)

    /// A certificate that was to be a trust anchor cannot be used as one.
    public static let trustAnchorMalformed = Self(
        "trust-anchor-malformed", .certificateChain,
        cause: "The certificate cannot be used as a trust anchor.",
        remedy: "Pass certificates in DER or PEM.")

    /// Every code that validating certificates and signatures can produce.
    package static let trustCodes: [Self] = [
        .creationDateMissing, .certificateMalformed, .signerCertificateMissing, .signerCertificateAmbiguous,
        .signerSelfSigned, .intermediateMissing, .chainTooShort, .chainTooLong, .rootNotTrusted, .anchorNotYetValid,
        .anchorExpired, .anchorKeyUnsupported, .anchorKeyTooWeak, .anchorKeyTooLarge, .anchorUnfit, .pathLengthExceeded,
        .intermediateAlgorithmFieldsDisagree,
        .intermediateAlgorithmUnsupported, .intermediateSignatureInvalid, .intermediateNotYetValid,
        .intermediateExpired, .intermediateCriticalExtension, .intermediateNotAuthority, .intermediateKeyUsage,
        .intermediateMarkerMissing, .intermediateKeyUnsupported, .intermediateKeyTooWeak, .intermediateKeyTooLarge,
        .signerAlgorithmFieldsDisagree, .signerAlgorithmUnsupported, .signerSignatureInvalid, .signerNotYetValid,
        .signerExpired, .signerCriticalExtension, .signerIsAuthority, .signerKeyUsage, .signerMarkerMissing,
        .signerKeyUnsupported, .signerKeyTooWeak, .signerKeyTooLarge, .xcodeNotTrusted, .xcodeCertificateMismatch,
        .xcodeCertificateMisused, .digestAlgorithmUnsupported, .digestAlgorithmsDisagree,
        .signatureAlgorithmUnsupported, .signatureAlgorithmECDSA, .signatureKeyMismatch, .signatureAlgorithmDisagrees,
        .algorithmParametersMalformed, .signedAttributesMalformed, .signedAttributeDuplicate,
        .signedAttributeMultipleValues,
        .contentTypeAttributeMissing, .contentTypeAttributeWrong, .messageDigestAttributeMissing,
        .messageDigestMismatch, .signatureInvalid, .trustAnchorMalformed,
    ]
}
