public import AppReceiptKit

// Every way in which signed data can fail that receipts cannot. docs/errors.md lists the same.

private let unlikely = "Genuine data never fails so; treat it as forged or damaged and fetch it anew."
private let otherApp = "Check the expected number; if it is right, the data is another app's."

extension ReceiptError.Code {
    /// The text is no compact JWS.
    public static let tokenMalformed = Self(
        "token-malformed", .token,
        cause: "The text is not a token: three parts with points between them.",
        remedy:
            "Pass the signed text as it came, without quotation marks and line breaks, the body of a notification as a body; a receipt goes to ReceiptVerifier, or appreceipt validate."
    )

    /// The token is larger than allowed.
    public static let tokenTooLarge = Self(
        "token-too-large", .token,
        cause: "The token is larger than allowed.",
        remedy: "Genuine ones are far smaller. Raise the limit only if you know why yours is not.")

    /// A part of the token is not base64 for URLs.
    public static let tokenBase64Malformed = Self(
        "token-base64-malformed", .token,
        cause: "A part of the token is not base64 for URLs without padding.",
        remedy: "Pass the signed text as it came; do not decode, pad or wrap it.")

    /// The header is no JSON object, or has a member twice.
    public static let tokenHeaderMalformed = Self(
        "token-header-malformed", .token,
        cause: "The token's header is not a JSON object with each member once.",
        remedy: unlikely)

    /// The header names something critical.
    public static let tokenHeaderCritical = Self(
        "token-header-critical", .token,
        cause: "The token's header names critical members, which are not understood.",
        remedy: unlikely)

    /// The algorithm is not ES256.
    public static let tokenAlgorithmUnsupported = Self(
        "token-algorithm-unsupported", .token,
        cause: "The token's algorithm is not ES256.",
        remedy: unlikely)

    /// The header has no certificates.
    public static let tokenCertificatesMissing = Self(
        "token-certificates-missing", .token,
        cause: "The token's header has no list of certificates (x5c).",
        remedy: "Tokens of your own servers and of App Store Connect have none; only what the App Store signs has.")

    /// The header's certificates are not base64.
    public static let tokenCertificatesMalformed = Self(
        "token-certificates-malformed", .token,
        cause: "The certificates in the token's header are not a list of base64 texts.",
        remedy: unlikely)

    /// The header has neither three certificates nor, from Xcode, one.
    public static let tokenCertificateCount = Self(
        "token-certificate-count", .token,
        cause: "The token does not have the three certificates that the App Store's tokens have.",
        remedy: unlikely)

    /// The signature is not 64 bytes.
    public static let tokenSignatureMalformed = Self(
        "token-signature-malformed", .token,
        cause: "The token's signature is not of 64 bytes.",
        remedy: unlikely)

    /// The payload is no JSON object, or has a member twice.
    public static let tokenPayloadMalformed = Self(
        "token-payload-malformed", .payload,
        cause: "The token's payload is not a JSON object with each member once.",
        remedy: unlikely)

    /// A member on which a decision hangs is not what it must be.
    public static let tokenClaimMalformed = Self(
        "token-claim-malformed", .payload,
        cause: "A member of the token's payload is not what it must be.",
        remedy: unlikely)

    /// The token is of another kind than was asked for.
    public static let tokenKindMismatch = Self(
        "token-kind-mismatch", .payload,
        cause: "The token is signed data of another kind.",
        remedy:
            "Pass transactions, renewal information, app transactions and notifications each to their own function, or let a report tell them apart."
    )

    /// The token is of no kind that is known.
    public static let tokenKindUnknown = Self(
        "token-kind-unknown", .payload,
        cause: "The token is signed data of a kind that is not known.",
        remedy: "Only transactions, renewal information, app transactions and notifications are verified.")

    /// The data does not say when it was signed.
    public static let signedDateMissing = Self(
        "signed-date-missing", .certificateChain,
        cause: "The data doesn't state when it was signed, so its certificates can't be validated.",
        remedy: "Request a newer copy. Notifications from early 2022 lack the date, and are otherwise genuine.")

    /// Data from production does not name the app's number in the App Store.
    public static let appAppleIdentifierMissing = Self(
        "app-apple-id-missing", .appAppleIdentifier,
        cause: "The data comes from production and does not name the app's number in the App Store.",
        remedy: unlikely)

    /// The expectations don't state the app's identifier in the App Store.
    public static let appAppleIdentifierUnspecified = Self(
        "app-apple-id-unspecified", .appAppleIdentifier,
        cause: "Notifications and app transactions from production require the app's identifier in the App Store.",
        remedy: "Pass the app's identifier as App Store Connect shows it, or accept any app explicitly.")

    /// The data is for another number in the App Store.
    public static let appAppleIdentifierMismatch = Self(
        "app-apple-id-mismatch", .appAppleIdentifier,
        cause: "The data is for another app's number in the App Store than expected.",
        remedy: otherApp)

    /// The data was signed for no device.
    public static let deviceVerificationMissing = Self(
        "device-verification-missing", .deviceVerification,
        cause: "The data was signed for no device.",
        remedy:
            "Only data that a device asked for has one: compare it on the device, or leave the device open on a server."
    )

    /// The data was signed for another device.
    public static let deviceVerificationMismatch = Self(
        "device-verification-mismatch", .deviceVerification,
        cause: "The data was signed for another device.",
        remedy: "Ask the store for the device's own data; what was copied from elsewhere grants nothing.")

    /// Transaction and renewal information in a notification are of different subscriptions.
    public static let nestedDataMismatch = Self(
        "nested-data-mismatch", .nestedData,
        cause: "The transaction and the renewal information in the notification are of different subscriptions.",
        remedy: unlikely)

    /// The codes above.
    package static let signedDataCodes: [Self] = [
        .tokenMalformed, .tokenTooLarge, .tokenBase64Malformed, .tokenHeaderMalformed, .tokenHeaderCritical,
        .tokenAlgorithmUnsupported, .tokenCertificatesMissing, .tokenCertificatesMalformed, .tokenCertificateCount,
        .tokenSignatureMalformed, .tokenPayloadMalformed, .tokenClaimMalformed, .tokenKindMismatch, .tokenKindUnknown,
        .signedDateMissing, .appAppleIdentifierMissing, .appAppleIdentifierUnspecified, .appAppleIdentifierMismatch,
        .deviceVerificationMissing,
        .deviceVerificationMismatch, .nestedDataMismatch,
    ]
}
