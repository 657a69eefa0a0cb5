import AppReceiptKit

extension VerifyReceiptResponder {
    /// Which receipts are answered. The receipt says where it comes from, never the request.
    ///
    /// | receipt from | ``production`` | ``sandbox`` | ``both`` |
    /// | --- | --- | --- | --- |
    /// | production | answered | 21008 | answered |
    /// | sandbox | 21007 | answered | answered |
    /// | Xcode, its certificate named | 21007 | answered as `Xcode` | 21003 |
    /// | unknown or missing | 21007 | 21003 | 21003 |
    ///
    /// Clients ask production first and on 21007 the sandbox. App Review runs the production app against the sandbox, so
    /// that a back end must answer both, by one responder of each kind or by one for both. Nothing but production counts
    /// as production, and what is unknown is not called production by 21008 either. The private key of Xcode's certificate
    /// is public: a responder that answers customers never answers for it, even where the verifier trusts it.
    public enum Environments: String, Sendable, Hashable, CaseIterable {
        /// As `buy.itunes.apple.com` does.
        case production
        /// As `sandbox.itunes.apple.com` does.
        case sandbox
        /// Both at one address. The answer's `environment` says which it was.
        case both

        /// The answer to a genuine receipt from elsewhere, nil if the receipt is answered.
        ///
        /// - Parameter isNamed: whether the receipt says anything about where it comes from.
        func refusal(of environment: ReceiptEnvironment.Base?, isNamed: Bool) -> VerifyReceiptResponse? {
            let unknown = ReceiptError(isNamed ? .environmentUnknown : .environmentMissing)
            let mismatch = environment == nil ? unknown : ReceiptError(.environmentMismatch)
            return switch (self, environment) {
            case (.production, .production), (.sandbox, .sandbox), (.sandbox, .xcode), (.both, .production),
                (.both, .sandbox):
                nil
            case (.production, _):
                VerifyReceiptResponse(
                    .sandboxReceiptInProduction,
                    failure: environment == nil ? unknown : ReceiptError(.sandboxReceiptInProduction))
            case (.sandbox, .production):
                VerifyReceiptResponse(
                    .productionReceiptInSandbox, failure: ReceiptError(.productionReceiptInSandbox))
            case (.sandbox, nil), (.both, .xcode), (.both, nil):
                VerifyReceiptResponse(.notAuthenticated, failure: mismatch)
            }
        }
    }
}

extension ReceiptEnvironment.Base {
    /// As answers name it.
    var answerName: String {
        switch self {
        case .production: "Production"
        case .sandbox: "Sandbox"
        case .xcode: "Xcode"
        }
    }
}
