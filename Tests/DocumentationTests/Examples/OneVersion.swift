import AppReceiptKit

extension AppLaunchValidation {
    #if os(macOS) || targetEnvironment(macCatalyst)
    private static let gardenVersion: AppVersion = "3.1"  // CFBundleShortVersionString
    #else
    private static let gardenVersion: AppVersion = .any  // after an update, the receipt may be older than the app
    #endif

    /// Accepts only receipts for this version of the app.
    static let gardenOfThisVersion = AppLaunchValidation(
        bundleIdentifier: "com.example.garden", environments: [.production, .sandbox], appVersion: gardenVersion)
}
