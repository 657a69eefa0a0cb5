import AppReceiptKit

extension Licence {
    /// For a support screen: every check and what came of it, with nothing that identifies the customer.
    var supportText: String {
        launch.report().checks
            .map { "\($0.check.rawValue): \($0.code ?? $0.outcome.rawValue)" }
            .joined(separator: "\n")
    }
}
