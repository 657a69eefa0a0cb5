import AppReceiptKit

/// What this customer may use. Everything that costs money asks here.
@MainActor
final class Licence {
    static let shared = Licence()

    private let launch = AppLaunchValidation(
        bundleIdentifier: "com.example.garden", environments: [.production, .sandbox])

    /// What came of the validation, for the screen that explains it.
    private(set) var outcome: AppLaunchValidation.Outcome

    private init() { outcome = launch.validate() }

    /// Locked until there is a verified receipt that proves it.
    var hasPro: Bool {
        guard let receipt = outcome.verified else { return false }
        return receipt.activePurchases().contains {
            ["com.example.garden.pro", "com.example.garden.monthly"].contains($0.productIdentifier)
        }
    }

    /// For a button: asks the store once, which asks the customer to sign in, and validates once more.
    func confirmPurchases() async {
        outcome = await launch.resolve(outcome, with: .shared)
    }
}
