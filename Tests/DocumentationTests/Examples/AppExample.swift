import AppReceiptKit

/// Validates this app's receipt, when the app starts and for each later check.
let launch = AppLaunchValidation(bundleIdentifier: "com.example.app", environments: [.production, .sandbox])

/// Whether the customer may use the pro features now.
///
/// If there is no proof, keep the features locked and show the message. There is none if the receipt is valid but older than the last
/// renewal. Never terminate the app.
func hasPro(_ outcome: AppLaunchValidation.Outcome) -> Bool {
    if let message = outcome.customerMessage { print(message, outcome.customerAction ?? "") }
    return outcome.verified?.entitlements().current(ofAny: ["com.example.pro", "com.example.plus"]) != nil
}
