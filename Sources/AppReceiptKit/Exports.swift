// `VerifiedReceipt` contains an `AppReceipt`, and every function throws a `ReceiptError`, so clients need both modules.
@_exported public import AppReceiptParsing
