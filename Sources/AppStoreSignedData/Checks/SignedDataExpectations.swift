public import AppReceiptKit

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What signed data must say to count for this app, here and now.
///
/// Bundle identifier, environments and the app's Apple identifier have no default: leaving one of them open must be
/// written down.
public struct SignedDataExpectations: Sendable, Hashable {
    /// The app's bundle identifier, compared byte by byte. Renewal information names none.
    public var bundleIdentifier: Expectations.BundleIdentifier

    /// The environments that are accepted. `LocalTesting` counts as Xcode.
    public var environments: Expectations.Environments

    /// The app's Apple identifier, which notifications and app transactions name in production.
    public var appAppleIdentifier: AppAppleIdentifier

    /// The device for which the data must have been signed. A server does not know it and leaves it open.
    public var device: Device

    /// - Parameters:
    ///   - bundleIdentifier: the app; `.anyBundle` leaves it open.
    ///   - environments: those that are accepted; `.anyEnvironment` leaves them open.
    ///   - appAppleIdentifier: the app's number in the App Store; `.anyApp` leaves it open.
    ///   - device: this device, `.anyDevice` where it is not known.
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
        /// This one. Only data from production is compared with it: elsewhere Apple leaves it out.
        case identifier(Int64)
        /// Whatever it is.
        case anyApp

        /// A literal is the one app that is accepted.
        public init(integerLiteral value: Int64) { self = .identifier(value) }
    }

    /// The device for which data must have been signed.
    public enum Device: Sendable, Hashable {
        /// The one with this `AppStore.deviceVerificationID`.
        case identifier(UUID)
        /// Whatever it is. Data that was copied from another device then counts.
        case anyDevice
    }
}
