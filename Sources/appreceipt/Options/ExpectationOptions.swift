import AppReceiptKit
import AppStoreSignedData
import ArgumentParser

/// The values that a receipt must have.
struct ExpectationOptions: ParsableArguments {
    @OptionGroup
    var app: AppOptions

    @Option(
        help: "The app version that the receipt must be for (iOS: CFBundleVersion, macOS: CFBundleShortVersionString).")
    var appVersion: String?

    @Option(help: "The app version that the customer must have bought first.")
    var originalAppVersion: String?

    @Option(
        name: .customLong("device-id"),
        help: """
            A device that the receipt may be for: a UUID, a MAC address, 12 or 32 hex digits, or base64 of 6 or 16 bytes. \
            May be repeated, for a Mac with several network interfaces.
            """,
        transform: ArgumentConversion.device)
    var devices: [DeviceIdentifier] = []

    var expectations: Expectations {
        Expectations(
            bundleIdentifier: app.bundleIdentifier, environments: app.environments, appVersion: appVersion,
            originalAppVersion: originalAppVersion, devices: devices.isEmpty ? .anyDevice : .only(devices))
    }

    /// Whether a value is expected that only receipts contain.
    var comparesReceiptsOnly: Bool { !ExpectationOption.ofReceiptsOnly(in: expectations).isEmpty }

    /// The app and environments, for signed data.
    var signedDataExpectations: SignedDataExpectations { SignedDataExpectations(expectations) }
}

/// The app and environments that data must be for. Shared by every subcommand that verifies.
struct AppOptions: ParsableArguments {
    @Option(help: "The bundle identifier that the data must be for.")
    var bundleID: String?

    @Option(help: "An accepted environment: production, sandbox or xcode. May be repeated.")
    var environment: [AppStoreEnvironment] = []

    var bundleIdentifier: AcceptedValues<String> { bundleID.map { [$0] } ?? .anyBundle }

    var environments: AcceptedValues<AppStoreEnvironment> { environment.isEmpty ? .anyEnvironment : .only(environment) }
}
