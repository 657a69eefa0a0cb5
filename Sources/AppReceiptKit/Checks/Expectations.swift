public import AppReceiptParsing

/// What a receipt must say to count for this app, here and now.
///
/// The signature proves that Apple made the receipt; that it was made for *this* app and not for another, that it is
/// no sandbox receipt, and that it belongs to this device only comparison tells. Bundle identifier and environments
/// have no default: leaving one of them open must be written down, as ``BundleIdentifier/anyBundle`` or
/// ``Environments/anyEnvironment``.
///
/// Take the expected values from constants in the code rather than from Info.plist, which anybody can edit.
public struct Expectations: Sendable, Hashable {
    /// The app's bundle identifier, compared byte by byte.
    public var bundleIdentifier: BundleIdentifier

    /// The environments that are accepted. A volume purchase counts as its base.
    public var environments: Environments

    /// The app's version, if it is to be compared: `CFBundleVersion` on iOS, `CFBundleShortVersionString` on macOS.
    /// Between an update and the next refresh a genuine receipt still names the version before.
    public var appVersion: String?

    /// The version that was bought first, if it is to be compared.
    public var originalAppVersion: String?

    /// The device that the receipt must have been made for. A server does not know it and leaves it open.
    public var devices: Devices

    /// - Parameters:
    ///   - bundleIdentifier: the app; `.anyBundle` leaves it open.
    ///   - environments: those that are accepted; `.anyEnvironment` leaves them open.
    ///   - appVersion: the version to compare, nil for none.
    ///   - originalAppVersion: the version that was bought first, nil for none.
    ///   - devices: this device, `.anyDevice` where it is not known.
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
    ///   - appVersion: The version to compare, or nil.
    ///   - originalAppVersion: The version that was first bought, or nil.
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
        /// This one.
        case identifier(String)
        /// Whatever it is. A receipt of any app of any developer then counts.
        case anyBundle

        /// A literal is the one app that is accepted.
        public init(stringLiteral value: String) { self = .identifier(value) }
    }

    /// The device that the receipt must have been made for.
    public enum Devices: Sendable, Hashable, ExpressibleByArrayLiteral {
        /// One of these identifiers, tried in order: a Mac may have several. An empty list is no device at all, and
        /// every receipt is refused: an identifier that could not be had must not open the door.
        case oneOf([DeviceIdentifier])
        /// Whatever it is. A receipt that was copied from another device then counts.
        case anyDevice

        /// A literal lists the devices; an empty one is no device at all.
        public init(arrayLiteral elements: DeviceIdentifier...) { self = .oneOf(elements) }
    }

    /// The environments that the receipt may come from.
    public enum Environments: Sendable, Hashable, ExpressibleByArrayLiteral {
        /// These. Receipts of an unknown environment, or of none, are refused.
        case only(Set<ReceiptEnvironment.Base>)
        /// Whatever it is, unknown ones included.
        case anyEnvironment

        /// A literal lists the environments that are accepted.
        public init(arrayLiteral elements: ReceiptEnvironment.Base...) { self = .only(Set(elements)) }
    }
}
