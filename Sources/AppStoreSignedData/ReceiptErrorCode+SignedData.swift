public import AppReceiptKit

// The errors of signed data, in addition to those of receipts. docs/errors.md is generated from them.

private let forged = "Apple never issues signed data in this form. Treat it as forged or damaged, and request it again."
private let otherApp = "Check the expected number. If it is correct, the data belongs to another app."

extension ReceiptError.Code {
    /// The text isn't a compact JWS.
    public static let tokenMalformed = Self(
        "token-malformed", .token,
        cause: "The text isn't a token (JWS): three parts separated by periods.",
        remedy:
            "Pass the complete token, or the body of a notification. Pass receipts to `ReceiptVerifier`."
    )

    /// The token is cut off.
    public static let tokenTruncated = Self(
        "token-truncated", .token,
        cause: "The token is cut off.",
        remedy:
            "Pass the complete token. Check whether a column, a log or a copy shortened it: tokens have several thousand characters."
    )

    /// The data is StoreKit 2's JSON without a signature.
    public static let tokenUnsigned = Self(
        "token-unsigned", .token,
        cause: "The data is StoreKit 2's JSON without a signature, which proves nothing.",
        remedy:
            "Have the app send jwsRepresentation of StoreKit's VerificationResult, not jsonRepresentation. The App Store Server API also returns signed data."
    )

    /// The notification has version 1, which isn't signed.
    public static let notificationVersion1 = Self(
        "notification-version-1", .token,
        cause: "This is a version 1 server notification, which isn't signed.",
        remedy:
            "Choose version 2 for the App Store server notifications of the app in App Store Connect (App Information, App Store Server Notifications), for production and for the sandbox. The receipt in a version 1 notification can be validated."
    )

    /// The data is a response of verifyReceipt without the receipt.
    public static let responseWithoutReceipt = Self(
        "response-without-receipt", .token,
        cause: "This is a response of verifyReceipt without the receipt. It isn't signed, so it proves nothing.",
        remedy:
            "Pass the receipt: 'latest_receipt' of the complete response, 'receipt-data' of the request, or a new one from the app."
    )

    /// The token is larger than the limit.
    public static let tokenTooLarge = Self(
        "token-too-large", .token,
        cause: "The token is larger than the limit.",
        remedy: "Apple's tokens are far smaller. Raise the limit only if you know why this one is larger.")

    /// A part of the token isn't URL-safe base64.
    public static let tokenBase64Malformed = Self(
        "token-base64-malformed", .token,
        cause: "A part of the token isn't URL-safe base64 without padding.",
        remedy: "Pass the signed text unchanged: not decoded, padded or wrapped.")

    /// The header isn't a JSON object, or has a member twice.
    public static let tokenHeaderMalformed = Self(
        "token-header-malformed", .token,
        cause: "The token's header isn't a JSON object, or has a member twice.",
        remedy: forged)

    /// The header names critical members.
    public static let tokenHeaderCritical = Self(
        "token-header-critical", .token,
        cause: "The token's header names critical members, which aren't supported.",
        remedy: forged)

    /// The algorithm isn't ES256.
    public static let tokenAlgorithmUnsupported = Self(
        "token-algorithm-unsupported", .token,
        cause: "The token's algorithm isn't ES256.",
        remedy: forged)

    /// The header has no certificates.
    public static let tokenCertificatesMissing = Self(
        "token-certificates-missing", .token,
        cause: "The token's header has no list of certificates (x5c).",
        remedy:
            "Pass data that the App Store signed. Tokens of your own servers and of App Store Connect have no certificates."
    )

    /// The header's certificates aren't base64.
    public static let tokenCertificatesMalformed = Self(
        "token-certificates-malformed", .token,
        cause: "The certificates in the token's header aren't an array of base64 strings.",
        remedy: forged)

    /// The header doesn't have three certificates, or one in data from Xcode.
    public static let tokenCertificateCount = Self(
        "token-certificate-count", .token,
        cause: "The token doesn't have exactly three certificates, as the App Store's tokens do.",
        remedy: forged)

    /// The signature isn't 64 bytes long.
    public static let tokenSignatureMalformed = Self(
        "token-signature-malformed", .token,
        cause: "The token's signature isn't 64 bytes long.",
        remedy: forged)

    /// The payload isn't a JSON object, or has a member twice.
    public static let tokenPayloadMalformed = Self(
        "token-payload-malformed", .payload,
        cause: "The token's payload isn't a JSON object, or has a member twice.",
        remedy: forged)

    /// A member that a decision depends on has the wrong type or value.
    public static let tokenClaimMalformed = Self(
        "token-claim-malformed", .payload,
        cause: "A member of the token's payload has the wrong type or value.",
        remedy: forged)

    /// The token is signed data of another kind than expected.
    public static let tokenKindMismatch = Self(
        "token-kind-mismatch", .payload,
        cause: "The token is signed data of another kind than expected.",
        remedy:
            "Call the function for this kind of data, or request a report, which detects the kind."
    )

    /// The token is signed data of an unknown kind.
    public static let tokenKindUnknown = Self(
        "token-kind-unknown", .payload,
        cause: "The token is signed data of an unknown kind.",
        remedy: "Pass a transaction, renewal information, an app transaction, a notification or a realtime request.")

    /// The data doesn't contain its date of signing.
    public static let signedDateMissing = Self(
        "signed-date-missing", .certificateChain,
        cause: "The data has no signing date, so its certificates can't be validated.",
        remedy: "Request a newer copy. Genuine notifications from early 2022 lack the date.")

    /// Data from production doesn't contain the app's App Store identifier.
    public static let appAppleIdentifierMissing = Self(
        "app-apple-id-missing", .appAppleIdentifier,
        cause: "The data is from production but doesn't contain the app's App Store identifier.",
        remedy: forged)

    /// The expectations don't contain the app's App Store identifier.
    public static let appAppleIdentifierUnspecified = Self(
        "app-apple-id-unspecified", .appAppleIdentifier,
        cause:
            "Notifications, app transactions and realtime requests from production require the app's App Store identifier.",
        remedy: "Pass the app's identifier as App Store Connect shows it, or accept any app explicitly.")

    /// The data is for an app with another App Store identifier.
    public static let appAppleIdentifierMismatch = Self(
        "app-apple-id-mismatch", .appAppleIdentifier,
        cause: "The data is for an app with another App Store identifier than expected.",
        remedy: otherApp)

    /// The data wasn't signed for a device.
    public static let deviceVerificationMissing = Self(
        "device-verification-missing", .deviceVerification,
        cause: "The data wasn't signed for a device.",
        remedy:
            "Only data that a device requested is signed for it. Check the device on the device itself, and don't expect one on a server."
    )

    /// The data was signed for another device.
    public static let deviceVerificationMismatch = Self(
        "device-verification-mismatch", .deviceVerification,
        cause: "The data was signed for another device.",
        remedy:
            "Request this device's own data from the App Store. Data that was copied from another device doesn't grant access."
    )

    /// Transaction and renewal information in a notification are for different subscriptions.
    public static let nestedDataMismatch = Self(
        "nested-data-mismatch", .nestedData,
        cause: "The transaction and the renewal information in the notification are for different subscriptions.",
        remedy: forged)
}
