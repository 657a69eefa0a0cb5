import ArgumentParser

/// The app that test data is for, with the identifier that production data contains.
struct TestAppOptions: ParsableArguments {
    @Option(help: "The app's bundle identifier.", transform: ArgumentConversion.nonEmpty)
    var bundleID: String

    @Option(
        help: ArgumentHelp("The app's App Store identifier, which production data contains.", valueName: "number"))
    var appAppleID: UInt64?
}
