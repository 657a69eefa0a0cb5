import AppReceiptKit
import ArgumentParser
import VerifyReceipt

/// Trust in transaction receipts from before iOS 7. Shared by `verify-receipt` and `serve`.
struct TransactionReceiptOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A certificate (DER or PEM) that issued signers of transaction receipts from before iOS 7. May be repeated. (default: such receipts get 21003)",
            valueName: "file"),
        completion: .file())
    var transactionIntermediate: [String] = []

    func trust() throws -> TransactionReceiptTrust { try Self.trust(transactionIntermediate) }

    /// Trust in the intermediate certificates in these files.
    static func trust(_ files: [String]) throws -> TransactionReceiptTrust {
        try TransactionReceiptTrust(
            intermediates: files.map { try TrustOptions.certificate($0, option: "--transaction-intermediate") })
    }
}
