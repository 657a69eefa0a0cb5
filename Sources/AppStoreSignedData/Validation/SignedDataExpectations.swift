public import AppReceiptFoundation
public import AppReceiptKit

/// The app, environments and device that signed data must be for.
///
/// Bundle identifier and environments have no default: accepting any must be explicit. The app's App Store identifier can be
/// omitted for transactions and renewal information, which never contain one. Notifications and app transactions from production
/// contain it, and are rejected unless it is given or ``AppAppleIdentifier/anyApp`` accepts all.
public struct SignedDataExpectations: Sendable, Hashable {
    /// The app's bundle identifier, compared byte by byte. Renewal information doesn't contain one.
    public var bundleIdentifier: Expectations.BundleIdentifier

    /// The accepted environments. `LocalTesting` is treated as Xcode.
    public var environments: Expectations.Environments

    /// The app's App Store identifier, which notifications and app transactions from production contain.
    public var appAppleIdentifier: AppAppleIdentifier

    /// The device that the data was signed for. Servers accept any device.
    public var device: Device

    /// Creates expectations.
    ///
    /// - Parameters:
    ///   - bundleIdentifier: The app; `.anyBundle` accepts all.
    ///   - environments: The accepted environments; `.anyEnvironment` accepts all.
    ///   - appAppleIdentifier: The app's App Store identifier; `.anyApp` accepts all. Can be omitted for transactions and
    ///     renewal information.
    ///   - device: The device; `.anyDevice` accepts all.
    public init(
        bundleIdentifier: Expectations.BundleIdentifier, environments: Expectations.Environments,
        appAppleIdentifier: AppAppleIdentifier = .unspecified, device: Device = .anyDevice
    ) {
        self.bundleIdentifier = bundleIdentifier
        self.environments = environments
        self.appAppleIdentifier = appAppleIdentifier
        self.device = device
    }

    /// Creates expectations for one app.
    ///
    /// - Parameters:
    ///   - bundleIdentifier: The app's bundle identifier.
    ///   - environments: The accepted environments; `.anyEnvironment` accepts all.
    ///   - appAppleIdentifier: The app's App Store identifier; `.anyApp` accepts all. Can be omitted for transactions and
    ///     renewal information.
    ///   - device: The device; `.anyDevice` accepts all.
    public init(
        bundleIdentifier: String, environments: Expectations.Environments,
        appAppleIdentifier: AppAppleIdentifier = .unspecified, device: Device = .anyDevice
    ) {
        self.init(
            bundleIdentifier: .identifier(bundleIdentifier), environments: environments,
            appAppleIdentifier: appAppleIdentifier, device: device)
    }

    /// The app's App Store identifier.
    public enum AppAppleIdentifier: Sendable, Hashable, ExpressibleByIntegerLiteral {
        /// This app. Only data from production is compared, because other data doesn't contain the identifier.
        case identifier(UInt64)
        /// Any app.
        case anyApp
        /// No identifier is given. Notifications and app transactions from production are rejected.
        case unspecified

        /// Creates an identifier from a number.
        public init(_ value: UInt64) { self = .identifier(value) }

        /// Creates an identifier from a literal.
        public init(integerLiteral value: UInt64) { self = .identifier(value) }
    }

    /// The device that data must have been signed for.
    public enum Device: Sendable, Hashable {
        /// The device with this `AppStore.deviceVerificationID`.
        case identifier(UUID)
        /// Any device. Data that was copied from another device is accepted.
        case anyDevice
    }
}

extension SignedDataExpectations {
    /// The app and environments of a receipt's expectations, for any app identifier. Versions apply to receipts only.
    package init(_ expectations: Expectations, device: Device = .anyDevice) {
        self.init(
            bundleIdentifier: expectations.bundleIdentifier, environments: expectations.environments,
            appAppleIdentifier: .anyApp, device: device)
    }
}
