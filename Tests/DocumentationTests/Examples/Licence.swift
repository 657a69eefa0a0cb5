import AppReceiptKit

extension AppLaunchValidation {
    /// The one configuration of this app, in constants.
    static let garden = AppLaunchValidation(
        bundleIdentifier: "com.example.garden", environments: [.production, .sandbox])
}

/// What this customer may use. Everything that costs money asks here.
@MainActor
final class Licence {
    static let shared = Licence()

    let launch: AppLaunchValidation

    /// What came of the validation, for the screen that explains it.
    private(set) var outcome: AppLaunchValidation.Outcome

    init(_ launch: AppLaunchValidation = .garden) {
        self.launch = launch
        outcome = launch.validate()
    }

    /// Locked until there is a verified receipt that proves it.
    var hasPro: Bool {
        outcome.verified?.hasActive(anyOf: ["com.example.garden.pro", "com.example.garden.monthly"]) ?? false
    }

    /// After a purchase or a restore, and when the app becomes active.
    func validate() { outcome = launch.validate() }

    /// For a button: asks the store, which asks the customer to sign in, and validates once more.
    func confirmPurchases() async { outcome = await launch.refresh(with: .shared) }
}
