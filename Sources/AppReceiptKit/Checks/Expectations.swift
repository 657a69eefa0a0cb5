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
    /// The app's bundle identifier, compared character by character.
    public var bundleIdentifier: BundleIdentifier

    /// The environments that are accepted. A volume purchase counts as its base.
    public var environments: Environments

    /// The app's version, if it is to be compared: `CFBundleVersion` on iOS, `CFBundleShortVersionString` on macOS.
    /// Between an update and the next refresh a genuine receipt still names the version before.
    public var appVersion: String?

    /// The version that was bought first, if it is to be compared.
    public var originalAppVersion: String?

    /// The identifiers that this device may have, in the order in which they are tried. Empty leaves the device
    /// unchecked, as on a server.
    public var devices: [DeviceIdentifier]

    public init(
        bundleIdentifier: BundleIdentifier, environments: Environments, appVersion: String? = nil,
        originalAppVersion: String? = nil, devices: [DeviceIdentifier] = []
    ) {
        self.bundleIdentifier = bundleIdentifier
        self.environments = environments
        self.appVersion = appVersion
        self.originalAppVersion = originalAppVersion
        self.devices = devices
    }

    /// The app that the receipt must be for.
    public enum BundleIdentifier: Sendable, Hashable, ExpressibleByStringLiteral {
        /// This one.
        case identifier(String)
        /// Whatever it is. A receipt of any app of any developer then counts.
        case anyBundle

        public init(stringLiteral value: String) { self = .identifier(value) }
    }

    /// The environments that the receipt may come from.
    public enum Environments: Sendable, Hashable, ExpressibleByArrayLiteral {
        /// These. Receipts of an unknown environment, or of none, are refused.
        case only(Set<ReceiptEnvironment.Base>)
        /// Whatever it is, unknown ones included.
        case anyEnvironment

        public init(arrayLiteral elements: ReceiptEnvironment.Base...) { self = .only(Set(elements)) }
    }
}
