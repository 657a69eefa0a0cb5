import AppReceiptKit

/// What the receipt of this app proves, judged when the app starts.
let launch = AppLaunchValidation(bundleIdentifier: "com.example.app", environments: [.production, .sandbox])

/// Whether the customer has pro. Never terminate the app: keep locked what was not proven, and show what they can do.
func hasPro(_ outcome: AppLaunchValidation.Outcome) -> Bool {
    if let message = outcome.customerMessage { print(message, outcome.customerAction ?? "") }
    return outcome.verified?.hasActive(anyOf: ["com.example.pro", "com.example.monthly"]) ?? false
}
