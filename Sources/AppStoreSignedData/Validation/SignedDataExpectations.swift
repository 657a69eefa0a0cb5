public import AppReceiptFoundation
public import AppReceiptKit

/// The app, environments and device that signed data must be for.
///
/// Bundle identifier and environments have no default: accepting any must be explicit. The app's App Store identifier
/// can be omitted for transactions and renewal information, which never contain one. Notifications and app transactions
/// from production contain it, and are rejected unless it is given or `.anyApp` accepts all.
public struct SignedDataExpectations: Sendable, Hashable {
    /// The app's bundle identifier, compared byte by byte. Renewal information doesn't contain one.
    public var bundleIdentifier: AcceptedValues<String>

    /// The accepted environments. `LocalTesting` is treated as Xcode.
    public var environments: AcceptedValues<AppStoreEnvironment>

    /// The app's App Store identifier, which notifications and app transactions from production contain; they are
    /// rejected if it is nil. Only data from production is compared, because other data doesn't contain the identifier.
    public var appAppleIdentifier: AcceptedValues<UInt64>?

    /// The `AppStore.deviceVerificationID` of the device that the data was signed for. Servers accept any device.
    public var device: AcceptedValues<UUID>

    /// Creates expectations.
    ///
    /// - Parameters:
    ///   - bundleIdentifier: The app's bundle identifier: a literal, or a variable in a list. `.anyBundle` accepts all.
    ///   - environments: The accepted environments; `.anyEnvironment` accepts all.
    ///   - appAppleIdentifier: The app's App Store identifier. Can be omitted for transactions and renewal information.
    ///   - device: The device; `.anyDevice` accepts all.
    public init(
        bundleIdentifier: AcceptedValues<String>, environments: AcceptedValues<AppStoreEnvironment>,
        appAppleIdentifier: UInt64? = nil, device: AcceptedValues<UUID> = .anyDevice
    ) {
        self.bundleIdentifier = bundleIdentifier
        self.environments = environments
        self.appAppleIdentifier = appAppleIdentifier.map { [$0] }
        self.device = device
    }

    /// Creates expectations for several App Store identifiers or any.
    ///
    /// - Parameters:
    ///   - bundleIdentifier: The app's bundle identifier: a literal, or a variable in a list. `.anyBundle` accepts all.
    ///   - environments: The accepted environments; `.anyEnvironment` accepts all.
    ///   - appAppleIdentifier: The accepted App Store identifiers; `.anyApp` accepts all.
    ///   - device: The device; `.anyDevice` accepts all.
    public init(
        bundleIdentifier: AcceptedValues<String>, environments: AcceptedValues<AppStoreEnvironment>,
        appAppleIdentifier: AcceptedValues<UInt64>, device: AcceptedValues<UUID> = .anyDevice
    ) {
        self.init(bundleIdentifier: bundleIdentifier, environments: environments, device: device)
        self.appAppleIdentifier = appAppleIdentifier
    }
}

extension SignedDataExpectations {
    /// The app and environments of a receipt's expectations, for any app identifier. Versions apply to receipts only.
    package init(_ expectations: Expectations, device: AcceptedValues<UUID> = .anyDevice) {
        self.init(
            bundleIdentifier: expectations.bundleIdentifier, environments: expectations.environments,
            appAppleIdentifier: .anyApp, device: device)
    }
}

extension AcceptedValues<UInt64> {
    /// Any app's App Store identifier.
    public static var anyApp: Self { .any }
}

extension AcceptedValues<UUID> {
    /// Any device. Data that was copied from another device is accepted.
    public static var anyDevice: Self { .any }
}
