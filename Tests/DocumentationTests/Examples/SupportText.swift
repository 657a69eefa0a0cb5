import AppReceiptKit

extension License {
    /// For a support screen: every check with its result. Nothing in it identifies the customer.
    var supportText: String {
        launch.report().checks
            .map { "\($0.check.rawValue): \($0.code ?? $0.outcome.rawValue)" }
            .joined(separator: "\n")
    }
}
