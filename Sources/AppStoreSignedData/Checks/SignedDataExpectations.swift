public import AppReceiptKit

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The values that signed data must contain to be valid for this app.
///
/// The bundle identifier, the environments and the app's Apple identifier have no default: accepting any of them is explicit.
public struct SignedDataExpectations: Sendable, Hashable {
    /// The app's bundle identifier, compared byte by byte. Renewal information names none.
    public var bundleIdentifier: Expectations.BundleIdentifier

    /// The accepted environments. `LocalTesting` counts as Xcode.
    public var environments: Expectations.Environments

    /// The app's Apple identifier, which notifications and app transactions name in production.
    public var appAppleIdentifier: AppAppleIdentifier

    /// The device that the data was signed for. Servers don't know it and accept any.
    public var device: Device

    /// Creates expectations.
    ///
    /// - Parameters:
    ///   - bundleIdentifier: The app, or `.anyBundle`.
    ///   - environments: The accepted environments, or `.anyEnvironment`.
    ///   - appAppleIdentifier: The app's number in the App Store, or `.anyApp`.
    ///   - device: This device, or `.anyDevice`.
    public init(
        bundleIdentifier: Expectations.BundleIdentifier, environments: Expectations.Environments,
        appAppleIdentifier: AppAppleIdentifier, device: Device = .anyDevice
    ) {
        self.bundleIdentifier = bundleIdentifier
        self.environments = environments
        self.appAppleIdentifier = appAppleIdentifier
        self.device = device
    }

    /// The app's number in the App Store.
    public enum AppAppleIdentifier: Sendable, Hashable, ExpressibleByIntegerLiteral {
        /// The app with this number. Only data from production is compared, because other data lacks the number.
        case identifier(Int64)
        /// Any app.
        case anyApp

        /// Creates an expectation of one app.
        public init(integerLiteral value: Int64) { self = .identifier(value) }
    }

    /// The device that data must have been signed for.
    public enum Device: Sendable, Hashable {
        /// The device with this `AppStore.deviceVerificationID`.
        case identifier(UUID)
        /// Any device. Data that was copied from another device is accepted.
        case anyDevice
    }
}
