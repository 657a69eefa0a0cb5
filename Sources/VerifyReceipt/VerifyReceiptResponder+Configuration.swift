import AppReceiptKit

extension VerifyReceiptResponder {
    /// The environments whose receipts are accepted. The receipt determines its environment, not the request.
    ///
    /// | receipt from | ``production`` | ``sandbox`` | ``both`` |
    /// | --- | --- | --- | --- |
    /// | production | accepted | 21008 | accepted |
    /// | sandbox | 21007 | accepted | accepted |
    /// | Xcode, its certificate trusted | 21007 | accepted as `Xcode` | 21003 |
    /// | Xcode, its certificate not trusted | 21003 | 21003 | 21003 |
    /// | the App Store, but claims Xcode | 21007 | 21003 | 21003 |
    /// | unknown or missing | 21007 | 21003 | 21003 |
    ///
    /// Clients send a receipt to production first, and after 21007 to the sandbox. App Review uses the production app
    /// with the sandbox, so a back end needs a responder for each environment or one for both. An unknown environment
    /// is never treated as production, and isn't reported as production with 21008 either. The private key of Xcode's
    /// certificate is public, so a responder for production never accepts its receipts, even if the verifier trusts it.
    public enum Environments: String, Sendable, Hashable, CaseIterable {
        /// Like `buy.itunes.apple.com`.
        case production
        /// Like `sandbox.itunes.apple.com`.
        case sandbox
        /// Both. The response's `environment` is that of the receipt.
        case both

        /// Returns the error for a valid receipt from another environment; nil if the receipt is accepted.
        ///
        /// - Parameters:
        ///   - environment: The receipt's environment.
        ///   - isNamed: Whether the receipt contains an environment.
        ///   - isSignedByXcode: Whether a trusted certificate of Xcode signed the receipt. The App Store never signs
        ///     receipts of Xcode.
        func rejection(
            of environment: AppStoreEnvironment?, isNamed: Bool, isSignedByXcode: Bool = false
        ) -> VerifyReceiptResponse? {
            let unknown: ReceiptError.Code = isNamed ? .environmentUnknown : .environmentMissing
            return switch (self, environment) {
            case (.production, .production), (.sandbox, .sandbox), (.both, .production), (.both, .sandbox): nil
            case (.sandbox, .xcode) where isSignedByXcode: nil
            case (.both, .xcode) where isSignedByXcode:
                VerifyReceiptResponse(
                    .notAuthenticated,
                    failure: ReceiptError(
                        .environmentMismatch,
                        "The receipt is from Xcode, which is accepted only if the sandbox is the only environment."))
            case (.production, _):
                VerifyReceiptResponse(
                    .sandboxReceiptInProduction,
                    failure: ReceiptError(environment == nil ? unknown : .sandboxReceiptInProduction))
            case (.sandbox, .production):
                VerifyReceiptResponse(
                    .productionReceiptInSandbox, failure: ReceiptError(.productionReceiptInSandbox))
            case (.sandbox, .xcode), (.sandbox, nil), (.both, .xcode), (.both, nil):
                VerifyReceiptResponse(
                    .notAuthenticated, failure: ReceiptError(environment == nil ? unknown : .environmentMismatch))
            }
        }
    }
}

extension AppStoreEnvironment {
    /// The environment's name in responses.
    var responseName: String {
        switch self {
        case .production: "Production"
        case .sandbox: "Sandbox"
        case .xcode: "Xcode"
        }
    }
}

extension VerifyReceiptResponder {
    /// The subscriptions for which responses contain an element of `pending_renewal_info`.
    public enum RenewalInfo: String, Sendable, Hashable, CaseIterable {
        /// Only subscriptions with signed renewal information. If there are none, the member is absent.
        case known

        /// Every subscription, as in Apple's responses, for clients that fail if the member is absent.
        ///
        /// Without signed renewal information, an element contains only the product and the original transaction:
        /// whether the subscription renews is unknown.
        case always
    }
}
