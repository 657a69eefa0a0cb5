public import AppReceiptParsing

/// The values that a receipt must contain to be valid for this app.
///
/// The signature proves that Apple created the receipt. Comparing its contents proves that it is for this app, isn't
/// from the sandbox, and belongs to this device. The bundle identifier and the environments have no default: to accept
/// any, pass ``AcceptedValues/anyBundle`` or ``AcceptedValues/anyEnvironment``.
///
/// Use constants for the expected values, not values from Info.plist, which anyone can edit.
public struct Expectations: Sendable, Hashable {
    /// The app's bundle identifier, compared byte by byte.
    public var bundleIdentifier: AcceptedValues<String>

    /// The accepted environments. A volume purchase is treated as its base. Receipts with an unknown environment or
    /// none are rejected, unless `.anyEnvironment` accepts all.
    public var environments: AcceptedValues<AppStoreEnvironment>

    /// The app's version, nil to accept any: `CFBundleVersion` on iOS, `CFBundleShortVersionString` on macOS.
    /// Between an update and the next refresh, a genuine receipt still contains the previous version.
    public var appVersion: String?

    /// The app version that was first bought, nil to accept any.
    public var originalAppVersion: String?

    /// The identifiers of the device that the receipt was created for, tried in order: a Mac may have several. Servers
    /// accept any device.
    public var devices: AcceptedValues<DeviceIdentifier>

    /// Creates expectations.
    ///
    /// - Parameters:
    ///   - bundleIdentifier: The app's bundle identifier: a literal, or a variable in a list. `.anyBundle` accepts all.
    ///   - environments: The accepted environments; `.anyEnvironment` accepts all.
    ///   - appVersion: The app's version, nil to accept any.
    ///   - originalAppVersion: The app version that was first bought, nil to accept any.
    ///   - devices: The identifiers of this device; `.anyDevice` accepts all.
    public init(
        bundleIdentifier: AcceptedValues<String>, environments: AcceptedValues<AppStoreEnvironment>,
        appVersion: String? = nil, originalAppVersion: String? = nil,
        devices: AcceptedValues<DeviceIdentifier> = .anyDevice
    ) {
        self.bundleIdentifier = bundleIdentifier
        self.environments = environments
        self.appVersion = appVersion
        self.originalAppVersion = originalAppVersion
        self.devices = devices
    }
}
