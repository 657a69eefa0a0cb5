public import AppReceiptParsing

/// The values that a receipt must contain to be valid for this app.
///
/// The signature proves that Apple created the receipt. Comparing its contents proves that it is for this app, isn't from the sandbox, and
/// belongs to this device. The bundle identifier and the environments have no default: to accept any, pass
/// ``BundleIdentifier/anyBundle`` or ``Environments/anyEnvironment``.
///
/// Use constants for the expected values, not values from Info.plist, which anyone can edit.
public struct Expectations: Sendable, Hashable {
    /// The app's bundle identifier, compared byte by byte.
    public var bundleIdentifier: BundleIdentifier

    /// The accepted environments. A volume purchase is treated as its base.
    public var environments: Environments

    /// The app's version, nil to accept any: `CFBundleVersion` on iOS, `CFBundleShortVersionString` on macOS.
    /// Between an update and the next refresh, a genuine receipt still contains the previous version.
    public var appVersion: String?

    /// The app version that was first bought, nil to accept any.
    public var originalAppVersion: String?

    /// The device that the receipt was created for. Servers accept any device.
    public var devices: Devices

    /// Creates expectations.
    ///
    /// - Parameters:
    ///   - bundleIdentifier: The app, or `.anyBundle`.
    ///   - environments: The accepted environments, or `.anyEnvironment`.
    ///   - appVersion: The app's version, nil to accept any.
    ///   - originalAppVersion: The app version that was first bought, nil to accept any.
    ///   - devices: The identifiers of this device, or `.anyDevice`.
    public init(
        bundleIdentifier: BundleIdentifier, environments: Environments, appVersion: String? = nil,
        originalAppVersion: String? = nil, devices: Devices = .anyDevice
    ) {
        self.bundleIdentifier = bundleIdentifier
        self.environments = environments
        self.appVersion = appVersion
        self.originalAppVersion = originalAppVersion
        self.devices = devices
    }

    /// Creates expectations for one app.
    ///
    /// - Parameters:
    ///   - bundleIdentifier: The app's bundle identifier.
    ///   - environments: The accepted environments; `.anyEnvironment` accepts all.
    ///   - appVersion: The app's version, nil to accept any.
    ///   - originalAppVersion: The app version that was first bought, nil to accept any.
    ///   - devices: The accepted devices; `.anyDevice` accepts all.
    public init(
        bundleIdentifier: String, environments: Environments, appVersion: String? = nil,
        originalAppVersion: String? = nil, devices: Devices = .anyDevice
    ) {
        self.init(
            bundleIdentifier: .identifier(bundleIdentifier), environments: environments, appVersion: appVersion,
            originalAppVersion: originalAppVersion, devices: devices)
    }

    /// The app that the receipt must be for.
    public enum BundleIdentifier: Sendable, Hashable, ExpressibleByStringLiteral {
        /// The app with this bundle identifier.
        case identifier(String)
        /// Any app. Receipts of every app of every developer are accepted.
        case anyBundle

        /// Creates an expectation of one app.
        public init(stringLiteral value: String) { self = .identifier(value) }
    }

    /// The device that a receipt must have been created for.
    public enum Devices: Sendable, Hashable, ExpressibleByArrayLiteral {
        /// One of these identifiers, tried in order: a Mac may have several. An empty list rejects every receipt, so that an identifier that isn't
        /// available can't disable the check.
        case oneOf([DeviceIdentifier])
        /// Any device. A receipt that was copied from another device is accepted.
        case anyDevice

        /// Creates an expectation of one of the devices. An empty list rejects every receipt.
        public init(arrayLiteral elements: DeviceIdentifier...) { self = .oneOf(elements) }
    }

    /// The environments that a receipt may come from.
    public enum Environments: Sendable, Hashable, ExpressibleByArrayLiteral {
        /// These environments. Receipts with an unknown environment or none are rejected.
        case only(Set<AppStoreEnvironment>)
        /// Any environment, including unknown ones.
        case anyEnvironment

        /// Creates an expectation of one of the environments.
        public init(arrayLiteral elements: AppStoreEnvironment...) { self = .only(Set(elements)) }
    }
}
