import AppReceiptKit
import AppStoreSignedData
import ArgumentParser

/// What a receipt must say.
struct ExpectationOptions: ParsableArguments {
    @Option(help: "The bundle identifier that the receipt must be for.")
    var bundleID: String?

    @Option(help: "The version that it must be for (iOS: CFBundleVersion, macOS: CFBundleShortVersionString).")
    var appVersion: String?

    @Option(help: "The version in which the app must have been bought first.")
    var originalAppVersion: String?

    @Option(help: "An environment that is accepted: production, sandbox or xcode. May be repeated.")
    var environment: [ReceiptEnvironment.Base] = []

    @Option(
        name: .customLong("device-id"),
        help: """
            A device that it may be for: a UUID, a MAC address, 12 or 32 hex digits, or base64 of 6 or 16 bytes. May be \
            repeated, for a Mac with several network interfaces.
            """,
        transform: Convert.device)
    var devices: [DeviceIdentifier] = []

    var expectations: Expectations {
        Expectations(
            bundleIdentifier: bundleID.map { .identifier($0) } ?? .anyBundle,
            environments: environment.isEmpty ? .anyEnvironment : .only(Set(environment)),
            appVersion: appVersion, originalAppVersion: originalAppVersion,
            devices: devices.isEmpty ? .anyDevice : .oneOf(devices))
    }

    /// The app and environments, for signed data.
    var signedDataExpectations: SignedDataExpectations {
        SignedDataExpectations(
            bundleIdentifier: bundleID.map { .identifier($0) } ?? .anyBundle,
            environments: environment.isEmpty ? .anyEnvironment : .only(Set(environment)),
            appAppleIdentifier: .anyApp)
    }
}
