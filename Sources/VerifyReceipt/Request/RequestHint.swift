import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData

/// What an app or its back end should send instead, for its developers. It contains nothing of the request but names of
/// members that plugins use.
struct RequestHint: Sendable {
    /// The hint.
    let text: String
    /// The hint without names, of which there are few different ones.
    let loggedText: String

    private init(_ text: String, loggedText: String? = nil) {
        self.text = text
        self.loggedText = loggedText ?? text
    }

    /// Creates a hint that begins with what was found where.
    private init(_ submitted: SubmittedReceipt, _ rest: String) {
        let what = submitted.isSignedTransactions ? "a signed transaction" : "a receipt"
        if submitted.wrappers.isEmpty {
            self.init("'receipt-data' is \(what)\(rest)")
        } else {
            self.init(
                "There is \(what) in \(submitted.wrappers.joined(separator: ", "))\(rest)",
                loggedText: "There is \(what) in a wrapper\(rest)")
        }
    }

    /// Creates the hint for a request that is answered; nil for an ordinary one.
    ///
    /// - Parameters:
    ///   - submitted: What it contains.
    ///   - unused: Why a token beside the receipt isn't used; nil if all are, or if there are none.
    init?(for submitted: SubmittedReceipt, unused: ReceiptError?) {
        let isUnused = unused.map { "A token beside the receipt isn't used: \($0.code.rawValue)." }
        if !submitted.wrappers.isEmpty {
            let rest = ". Send only that, as 'receipt-data'." + (isUnused.map { " " + $0 } ?? "")
            self.init(submitted, rest)
        } else if let isUnused {
            self.init(isUnused)
        } else {
            return nil
        }
    }

    /// Creates the hint for a request that is rejected; nil if the error says enough.
    ///
    /// - Parameters:
    ///   - error: The reason.
    ///   - request: The whole request, or only its `receipt-data`.
    ///   - acceptsSignedTransactions: Whether tokens and wrappers are accepted.
    ///   - limits: The limits of receipts.
    init?(
        for error: ReceiptError, in request: ArraySlice<UInt8>, acceptsSignedTransactions: Bool, limits: ReceiptLimits
    ) {
        var code = error.code
        if !acceptsSignedTransactions, Self.couldBeElsewhere.contains(code), request.count <= Self.maxSearchedBytes {
            do throws(ReceiptError) {
                if let found = try SubmittedReceipt(searching: request, limits: limits) {
                    let remedy =
                        found.isSignedTransactions ? "send the app receipt" : "send only that, as 'receipt-data'"
                    self.init(found, ", which isn't accepted here. Set accept-signed-transactions, or \(remedy).")
                    return
                }
            } catch let mistake {
                code = mistake.code
            }
        }
        guard let text = Self.text(for: code) else { return nil }
        self.init(text)
    }

    private static func text(for code: ReceiptError.Code) -> String? {
        switch code {
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

    /// A search for a hint costs more than the rejection.
    private static let maxSearchedBytes = 262_144

    private static let sendToken =
        "Send jwsRepresentation of the transaction as 'receipt-data': purchaseToken in react-native-iap and expo-iap, "
        + "serverVerificationData in Flutter, Info.Apple.jwsRepresentation in Unity 5."
}
