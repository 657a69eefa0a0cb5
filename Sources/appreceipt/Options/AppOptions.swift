import AppReceiptKit
import AppStoreSignedData
import ArgumentParser

/// The app and environments that data must be for. Shared by every subcommand that verifies.
struct AppOptions: ParsableArguments {
    @Option(help: "The bundle identifier that the data must be for.")
    var bundleID: String?

    @Option(help: "An accepted environment: production, sandbox or xcode. May be repeated.")
    var environment: [AppStoreEnvironment] = []

    var bundleIdentifier: AcceptedValues<String> { bundleID.map { [$0] } ?? .anyBundle }

    var environments: AcceptedValues<AppStoreEnvironment> { environment.isEmpty ? .anyEnvironment : .only(environment) }
}
