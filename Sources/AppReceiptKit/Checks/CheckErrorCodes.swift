public import AppReceiptParsing

// Every way in which a receipt can differ from what is expected. docs/errors.md lists the same.

extension ReceiptError.Code {
    /// The receipt has no bundle identifier (attribute 2).
    public static let bundleIdentifierMissing = Self(
        "bundle-identifier-missing", .bundleIdentifier,
        cause: "The receipt has no bundle identifier to compare.",
        remedy: "Treat it as invalid and fetch it anew.")

    /// The receipt is for another app.
    public static let bundleIdentifierMismatch = Self(
        "bundle-identifier-mismatch", .bundleIdentifier,
        cause: "The receipt is for another app than expected.",
        remedy: "Check the expected bundle identifier; if it is right, this was copied from another app.")

    /// The receipt does not say where it comes from (attribute 0).
    public static let environmentMissing = Self(
        "environment-missing", .environment,
        cause: "The receipt or signed data doesn't name its environment.",
        remedy: "Treat it as invalid, and request a newer copy. Signed data from 2021 names no environment.")

    /// The receipt comes from an environment that is not known.
    public static let environmentUnknown = Self(
        "environment-unknown", .environment,
        cause: "The receipt comes from an environment that is not known.",
        remedy:
            "Treat it as invalid; if Apple has a new environment, a newer version of this library is needed.")

    /// The receipt comes from an environment that is not accepted.
    public static let environmentMismatch = Self(
        "environment-mismatch", .environment,
        cause: "The receipt comes from an environment that is not accepted here.",
        remedy:
            "Servers that App Review uses must accept the sandbox beside production; else keep the sandbox out of production."
    )

    /// The receipt has no app version (attribute 3).
    public static let appVersionMissing = Self(
        "app-version-missing", .appVersion,
        cause: "The receipt has no app version to compare.",
        remedy: "Treat it as invalid and fetch it anew.")

    /// The receipt was made for another version of the app.
    public static let appVersionMismatch = Self(
        "app-version-mismatch", .appVersion,
        cause: "The receipt is for another version of the app than expected.",
        remedy:
            "Refresh the receipt after an update. On iOS compare CFBundleVersion, on macOS CFBundleShortVersionString.")

    /// The receipt has no original app version (attribute 19).
    public static let originalAppVersionMissing = Self(
        "original-app-version-missing", .originalAppVersion,
        cause: "The receipt has no original app version to compare.",
        remedy: "Receipts from Xcode lack it; elsewhere fetch the receipt anew.")

    /// The app was first bought in another version.
    public static let originalAppVersionMismatch = Self(
        "original-app-version-mismatch", .originalAppVersion,
        cause: "The app was first bought in another version than expected.",
        remedy: "In the sandbox the original version is always 1.0.")

    /// The receipt has no device hash (attribute 5).
    public static let deviceHashMissing = Self(
        "device-hash-missing", .deviceHash,
        cause: "The receipt has no device hash to compare.",
        remedy: "Treat it as invalid and fetch it anew.")

    /// The receipt lacks the opaque value (attribute 4) or the bundle identifier (attribute 2), over which the device hash is computed.
    public static let deviceHashInputsMissing = Self(
        "device-hash-inputs-missing", .deviceHash,
        cause: "The receipt lacks a value over which the device hash is computed.",
        remedy: "Treat it as invalid and fetch it anew.")

    /// The device is to be compared, but no identifier of it was given.
    public static let deviceIdentifierMissing = Self(
        "device-identifier-missing", .deviceHash,
        cause: "The device is to be compared, but no identifier of it could be had.",
        remedy:
            "Try again later: the identifier for vendor is not there before a device is first unlocked, and a Mac needs a network interface with a MAC address."
    )

    /// The store makes no receipts for this system, so it has no identifier that one could have been made for.
    public static let deviceIdentifierUnsupported = Self(
        "device-identifier-unsupported", .deviceHash,
        cause: "This system has no identifier that a receipt could have been made for.",
        remedy: "On a server leave the device open with .anyDevice, or compare with the identifier that the app sends.")

    /// The receipt was made for another device.
    public static let deviceHashMismatch = Self(
        "device-hash-mismatch", .deviceHash,
        cause: "The receipt was made for another device than expected.",
        remedy:
            "Refresh the receipt on this device. On a Mac try the addresses of all built-in network interfaces; elsewhere the identifier for vendor changes when all apps of the vendor are removed."
    )

    /// The receipt has expired (attribute 21).
    public static let receiptExpired = Self(
        "receipt-expired", .expiration,
        cause: "The receipt has expired.",
        remedy:
            "Receipts of volume purchases expire when the licence is revoked or moved: refresh it, and if it stays expired, end access."
    )

    /// The text is no device identifier.
    public static let deviceIdentifierMalformed = Self(
        "device-identifier-malformed", .deviceHash,
        cause: "The text is neither a UUID nor a MAC address nor 6 or 16 bytes in hex or base64.",
        remedy: "Pass a UUID, a MAC address with colons or hyphens, 12 or 32 hex digits, or base64 of 6 or 16 bytes.")

    /// Every code that comparing a receipt with expectations can give.
    package static let checkCodes: [Self] = [
        .bundleIdentifierMissing, .bundleIdentifierMismatch, .environmentMissing, .environmentUnknown,
        .environmentMismatch, .appVersionMissing, .appVersionMismatch, .originalAppVersionMissing,
        .originalAppVersionMismatch, .deviceHashMissing, .deviceHashInputsMissing,
        .deviceIdentifierMissing, .deviceIdentifierUnsupported, .deviceHashMismatch, .receiptExpired,
        .deviceIdentifierMalformed,
    ]
}
