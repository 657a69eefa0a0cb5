import AppReceiptKit

/// The sentence that the app shows about the subscription, if it needs one.
func banner(for entitlements: Entitlements) -> String? {
    guard let plus = entitlements["com.example.plus"], let until = plus.until else { return nil }
    return switch plus.state {
    case .active where plus.willRenew == false: "Plus ends on \(until)."
    case .gracePeriod: "The payment failed. Plus stays active until \(until): update your payment method."
    case .billingRetry: "Plus is paused because the payment failed. Update your payment method."
    case .renewalUnknown: "Confirm your purchases to continue with Plus."
    default: nil
    }
}
