import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData

/// What an app or its back end should send instead, for its developers. It contains nothing of the request but names of
/// members that plugins use.
enum RequestHint {
    /// Returns the hint for a request that is answered.
    ///
    /// - Parameters:
    ///   - submitted: What it contains.
    ///   - unused: Why the tokens beside the receipt aren't used; nil if they are, or if there are none.
    static func text(for submitted: SubmittedReceipt, unused: ReceiptError?) -> String? {
        var sentences: [String] = []
        if !submitted.wrappers.isEmpty {
            sentences.append("\(place(of: submitted)). Send it alone as 'receipt-data'.")
        }
        if let unused {
            sentences.append("The signed transactions beside the receipt aren't used: \(unused.code.rawValue).")
        }
        return sentences.isEmpty ? nil : sentences.joined(separator: " ")
    }

    /// Returns the hint for a request that is rejected.
    ///
    /// - Parameters:
    ///   - error: The reason.
    ///   - request: The whole request, or only its `receipt-data`.
    ///   - acceptsSignedTransactions: Whether tokens and wrappers are accepted.
    ///   - limits: The limits of receipts.
    static func text(
        for error: ReceiptError, in request: ArraySlice<UInt8>, acceptsSignedTransactions: Bool, limits: ReceiptLimits
    ) -> String? {
        if !acceptsSignedTransactions, couldBeElsewhere.contains(error.code),
            let found = (try? SubmittedReceipt(searching: request, limits: limits)) ?? nil
        {
            let remedy = found.isSignedTransactions ? "send the app receipt" : "send it alone as 'receipt-data'"
            return "\(place(of: found)), which isn't accepted here. Set accept-signed-transactions, or \(remedy)."
        }
        return switch error.code {
        case .tokenUnsigned:
            "StoreKit 2's JSON has no signature and proves nothing. \(sendToken)"
        case .inputEmpty, .receiptDataMissing: "There is no receipt. With StoreKit 2: \(sendToken)"
        case .inputJSON, .receiptDataMistyped:
            "There is neither a receipt nor a signed transaction in the JSON. With StoreKit 2: \(sendToken)"
        case .signedTransactionMissing, .tokenKindMismatch:
            "Renewal information, notifications and numbers of transactions prove no purchase. \(sendToken)"
        case .receiptDataAmbiguous: "There are several receipts. Send one of them as 'receipt-data'."
        case .tokenTruncated: "The signed transaction is cut off. Send all of its three parts."
        case .inputBase64Twice: "The receipt is in base64 twice. Send it as the app gets it."
        case .inputBase64Malformed:
            "The base64 is damaged. In a form, '+' must be escaped, and in JSON it must not be."
        case .requestMalformed: "The body must be a JSON object with the member 'receipt-data'."
        default: nil
        }
    }

    /// The errors of `receipt-data` beside which a receipt or token may be elsewhere in the request.
    private static let couldBeElsewhere: [ReceiptError.Code] = [
        .receiptDataMissing, .receiptDataMistyped, .inputEmpty, .inputJSON, .inputSignedData, .inputBase64Malformed,
        .inputUnrecognized,
    ]

    private static let sendToken =
        "Send jwsRepresentation of the transaction as 'receipt-data': purchaseToken in react-native-iap and expo-iap, "
        + "serverVerificationData in Flutter, Info.Apple.jwsRepresentation in Unity 5."

    private static func place(of submitted: SubmittedReceipt) -> String {
        let what = submitted.isSignedTransactions ? "a signed transaction" : "a receipt"
        guard !submitted.wrappers.isEmpty else { return "'receipt-data' is \(what)" }
        return "There is \(what) in \(submitted.wrappers.joined(separator: ", "))"
    }
}
