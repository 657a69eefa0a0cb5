import AppReceiptKit

/// What the server asks of an app whose receipt was rejected.
enum AfterRejection {
    case sendAgain, requestNewReceipt, nothing
}

func afterRejection(_ error: ReceiptError) -> AfterRejection {
    print(error.code, error.check)  // for the log: stable names without receipt contents
    return switch error.code {
    case .inputBase64Malformed, .encodingTruncated: .sendAgain  // damaged in transit
    case .receiptExpired: .requestNewReceipt
    default: .nothing
    }
}
