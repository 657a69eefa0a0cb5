import AppReceiptKit

extension AppLaunchValidation {
    /// The one configuration of this app, in constants.
    static let garden = AppLaunchValidation(
        bundleIdentifier: "com.example.garden", environments: [.production, .sandbox])
}

/// What this customer may use. All paid features depend on it.
@MainActor
final class License {
    static let shared = License()

    let launch: AppLaunchValidation

    /// The latest result, for the screen that explains it.
    private(set) var outcome: AppLaunchValidation.Outcome

    init(_ launch: AppLaunchValidation = .garden) {
        self.launch = launch
        outcome = launch.validate()
    }

    /// Whether the pro features are unlocked. They stay locked without a verified receipt.
    var hasPro: Bool {
        outcome.verified?.entitlements().current(ofAny: ["com.example.garden.pro", "com.example.garden.monthly"]) != nil
    }

    /// Whether a subscription may have been renewed after the receipt was created: show a button for ``confirmPurchases()``.
    var mayHaveRenewed: Bool {
        outcome.verified?.entitlements().all.contains { $0.state == .renewalUnknown } ?? false
    }

    /// Validates again, after a purchase or a restore, and when the app becomes active.
    func validate() { outcome = launch.validate() }

    /// For a button: requests a new receipt, for which the customer may have to sign in, and validates again.
    func confirmPurchases() async { outcome = await launch.refresh() }
}
