public import AppReceiptParsing

// The codes of receipts that differ from the expectations. docs/errors.md lists them too.

extension ReceiptError.Code {
    /// The receipt has no bundle identifier (attribute 2).
    public static let bundleIdentifierMissing = Self(
        "bundle-identifier-missing", .bundleIdentifier,
        cause: "The receipt or signed data has no bundle identifier to compare.",
        remedy: "Treat it as invalid, and request it again from the App Store.")

    /// The receipt is for another app.
    public static let bundleIdentifierMismatch = Self(
        "bundle-identifier-mismatch", .bundleIdentifier,
        cause: "The receipt or signed data is for another app than expected.",
        remedy: "Check the expected bundle identifier. If it is right, the data was copied from another app.")

    /// The receipt has no environment (attribute 0).
    public static let environmentMissing = Self(
        "environment-missing", .environment,
        cause: "The receipt or signed data has no environment to compare.",
        remedy: "Treat it as invalid, and request a newer copy. Signed data from 2021 has no environment.")

    /// The receipt comes from an unknown environment.
    public static let environmentUnknown = Self(
        "environment-unknown", .environment,
        cause: "The receipt or signed data comes from an unknown environment.",
        remedy:
            "Treat it as invalid. If Apple introduced a new environment, use a newer version of this library.")

    /// The receipt comes from an environment that isn't accepted.
    public static let environmentMismatch = Self(
        "environment-mismatch", .environment,
        cause: "The receipt or signed data comes from an environment that isn't accepted.",
        remedy:
            "Validate it as data of its own environment. Accept the sandbox beside production only on a server that App Review or TestFlight uses."
    )

    /// The receipt has no app version (attribute 3).
    public static let appVersionMissing = Self(
        "app-version-missing", .appVersion,
        cause: "The receipt has no app version to compare.",
        remedy: "Treat the receipt as invalid, and request a new one.")

    /// The receipt is for another version of the app.
    public static let appVersionMismatch = Self(
        "app-version-mismatch", .appVersion,
        cause: "The receipt is for another version of the app than expected.",
        remedy:
            "Refresh the receipt after an update. On iOS compare CFBundleVersion, on macOS CFBundleShortVersionString.")

    /// The receipt has no original app version (attribute 19).
    public static let originalAppVersionMissing = Self(
        "original-app-version-missing", .originalAppVersion,
        cause: "The receipt has no original app version to compare.",
        remedy:
            "Receipts from Xcode and transaction receipts never have it: don't compare it with them. Otherwise request a new receipt."
    )

    /// The app was first bought in another version.
    public static let originalAppVersionMismatch = Self(
        "original-app-version-mismatch", .originalAppVersion,
        cause: "The app was first bought in another version than expected.",
        remedy: "Expect the version in which the customer first bought the app; in the sandbox, it is always 1.0.")

    /// The receipt has no device hash (attribute 5).
    public static let deviceHashMissing = Self(
        "device-hash-missing", .deviceHash,
        cause: "The receipt has no device hash to compare.",
        remedy:
            "A transaction receipt never has one: pass the app receipt, or accept any device. Treat an app receipt without it as invalid, and request a new one."
    )

    /// The receipt lacks the opaque value (attribute 4) or the bundle identifier (attribute 2), from which the device
    /// hash is computed.
    public static let deviceHashInputsMissing = Self(
        "device-hash-inputs-missing", .deviceHash,
        cause: "The receipt lacks a value from which the device hash is computed.",
        remedy: "Treat the receipt as invalid, and request a new one.")

    /// The device must be compared, but its identifier isn't available.
    public static let deviceIdentifierMissing = Self(
        "device-identifier-missing", .deviceHash,
        cause: "The device must be compared, but its identifier isn't available.",
        remedy:
            "Try again later: the identifier for vendor isn't available before a device is first unlocked, and a Mac needs a network interface with a MAC address."
    )

    /// The App Store doesn't create receipts for this system, so there is no device identifier to compare.
    public static let deviceIdentifierUnsupported = Self(
        "device-identifier-unsupported", .deviceHash,
        cause: "This system has no device identifier that a receipt could contain.",
        remedy:
            "On a server, in a command-line tool and in a test, accept any device, or pass the identifier that the app sends."
    )

    /// The receipt was created for another device.
    public static let deviceHashMismatch = Self(
        "device-hash-mismatch", .deviceHash,
        cause: "The receipt was created for another device than expected.",
        remedy:
            "Refresh the receipt on this device. On a Mac, try the addresses of all built-in network interfaces. On other systems the identifier for vendor changes when all apps of the vendor are removed."
    )

    /// The receipt has expired (attribute 21).
    public static let receiptExpired = Self(
        "receipt-expired", .expiration,
        cause: "The receipt has expired.",
        remedy:
            "Receipts for volume purchases expire when the license is revoked or moved. Refresh the receipt, and end access if it is still expired."
    )

    /// The text isn't a device identifier.
    public static let deviceIdentifierMalformed = Self(
        "device-identifier-malformed", .deviceHash,
        cause: "The text is neither a UUID nor a MAC address nor 6 or 16 bytes in hex or base64.",
        remedy: "Pass a UUID, a MAC address with colons or hyphens, 12 or 32 hex digits, or base64 of 6 or 16 bytes.")
}
