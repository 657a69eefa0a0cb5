import AppReceiptKit

/// What the receipt of this app proves, judged when the app starts.
let launch = AppLaunchValidation(bundleIdentifier: "com.example.app", environments: [.production, .sandbox])

/// Whether the customer has pro. Never terminate the app: keep locked what was not proven.
func hasPro(_ outcome: AppLaunchValidation.Outcome) -> Bool {
    guard let receipt = outcome.verified else {
        print(outcome.customerMessage ?? "", outcome.customerAction ?? "")
        return false
    }
    return receipt.purchases.owns("com.example.pro")
}
