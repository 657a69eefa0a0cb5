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
    /// Whether the request has a receipt or token that is read only if signed transactions and wrappers are accepted.
    private(set) var isAboutSetting = false

    private init(_ text: String, loggedText: String? = nil) {
        self.text = text
        self.loggedText = loggedText ?? text
    }

    /// Creates a hint that begins with what was found where.
    ///
    /// - Parameter isVerified: Whether it was verified. Otherwise, it may be of another kind, or forged.
    private init(foundIn submitted: SubmittedReceipt, isVerified: Bool, rest: String) {
        let what = submitted.isSignedTransactions ? "a signed transaction" : "a receipt"
        guard !submitted.isPlain else {
            self.init("'receipt-data' \(isVerified ? "is" : "seems to be") \(what)\(rest)")
            return
        }
        let there = isVerified ? "There is" : "There seems to be"
        let steps = submitted.normalizations.joined(separator: ", ")
        let places = submitted.places.joined(separator: " and ")
        let place = places.isEmpty || steps.isEmpty ? places + steps : "\(places) (\(steps))"
        self.init("\(there) \(what) in \(place)\(rest)", loggedText: "\(there) \(what) in a wrapper\(rest)")
    }

    /// Creates the hint for a request that is answered; nil for an ordinary one.
    ///
    /// - Parameters:
    ///   - submitted: What it contains.
    ///   - unused: Why a token isn't used; nil if all are, or if there are none.
    init?(for submitted: SubmittedReceipt, unused: ReceiptError?) {
        var notes: [String] = []
        if submitted.hasOtherReceipt {
            notes.append(
                submitted.isSignedTransactions
                    ? "A receipt isn't used: send it as 'receipt-data'."
                    : "Another receipt isn't used: send one in a request.")
        }
        if let unused { notes.append("A token isn't used: \(unused.code.rawValue).") }
        if !submitted.isPlain {
            notes.insert("Send it as 'receipt-data'.", at: 0)
            self.init(foundIn: submitted, isVerified: true, rest: ". " + notes.joined(separator: " "))
        } else if !notes.isEmpty {
            self.init(notes.joined(separator: " "))
        } else {
            return nil
        }
    }

    /// Creates the hint for a request that is rejected; nil if the error says enough.
    ///
    /// - Parameters:
    ///   - error: The reason.
    ///   - request: The request, if tokens and wrappers aren't accepted: what would be read then. Nil if they are.
    ///   - limits: The limits of receipts.
    init?(for error: ReceiptError, in request: RequestMembers?, limits: ReceiptLimits) {
        var code = error.code
        if let request, request.count <= Self.maxSearchedBytes, Self.couldBeElsewhere.contains(code) {
            do throws(ReceiptError) {
                let found = try SubmittedReceipt(anywhereIn: request, limits: limits)
                let remedy = found.isSignedTransactions ? "Send the app receipt" : "Send it as 'receipt-data'"
                self.init(foundIn: found, isVerified: false, rest: ", which isn't accepted here. \(remedy).")
                isAboutSetting = true
                return
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
        case .signedTransactionsMixed:
            "The signed transactions are of different apps or environments. Send those of one."
        case .requestTooLarge: "Send fewer signed transactions in a request, or the receipt."
        case .requestMalformed: "The body must be a JSON object of at most 64 members, such as 'receipt-data'."
        default: nil
        }
    }

    /// The errors of `receipt-data` beside which a receipt or token may be elsewhere in the request.
    private static let couldBeElsewhere: [ReceiptError.Code] = [
        .receiptDataMissing, .receiptDataMistyped, .inputEmpty, .inputJSON, .inputSignedData, .inputBase64Malformed,
        .inputUnrecognized,
    ]

    /// Limits the cost of a rejected request: the search costs more than the rejection itself.
    private static let maxSearchedBytes = 262_144

    private static let sendToken =
        "Send jwsRepresentation of the transaction as 'receipt-data': purchaseToken in react-native-iap and expo-iap, "
        + "serverVerificationData in Flutter, Info.Apple.jwsRepresentation in Unity 5."
}
