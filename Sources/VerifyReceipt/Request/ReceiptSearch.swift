import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData

/// The receipts and tokens anywhere in text, such as a whole request.
struct ReceiptSearch {
    /// The receipts, by their bytes.
    private(set) var receipts: [ArraySlice<UInt8>: SubmittedReceipt.Kind] = [:]
    /// The members in which they are, at most three.
    private(set) var receiptPlaces: [String] = []
    /// The tokens, each once.
    private(set) var tokens: [String] = []
    /// The members in which tokens are, at most three.
    private(set) var tokenPlaces: [String] = []
    /// What was removed or decoded around them.
    let normalizations: [String]
    /// The error of the first damaged receipt; nil for none.
    private(set) var damage: ReceiptError?
    /// The error that explains what is there instead; nil if nothing is recognized.
    private(set) var mistake: ReceiptError?

    /// Each token is verified.
    private static let maxTokens = 1_000

    /// - Throws: `request-too-large` for too many tokens.
    init(_ text: ArraySlice<UInt8>, limits: ReceiptLimits) throws(ReceiptError) {
        let input = EvidenceInput(text, readsEveryMember: true)
        var known: Set<ExactString> = []
        normalizations = input.normalizations.filter { !$0.hasPrefix("JSON member") }
        for (item, path) in zip(input.items, input.paths) {
            switch item {
            case .receipt(let bytes):
                do throws(ReceiptError) {
                    let container = try ReceiptInput(bytes, limits: limits).containerBytes
                    receipts[container] = .app(container)
                    Self.add(path, to: &receiptPlaces)
                } catch {
                    if item.isRecognized { damage = damage ?? error }
                    mistake = mistake ?? Self.mistake(in: bytes)
                }
            case .transactionReceipt(let list):
                receipts[list] = .transaction(list)
                Self.add(path, to: &receiptPlaces)
            case .token(let token):
                if case .failure(let error) = item.receipt {
                    mistake = mistake ?? error
                    continue
                }
                // Beside others, or in a member with a known name, it may be a session's. Apple's name certificates.
                guard item.hasCertificates || path.isEmpty && input.items.count == 1 else { continue }
                Self.add(path, to: &tokenPlaces)
                if known.insert(ExactString(token)).inserted { tokens.append(token) }
            }
        }
        guard !input.isTruncated, tokens.count <= Self.maxTokens else {
            throw ReceiptError(
                .requestTooLarge, "The request contains more than \(Self.maxTokens) signed transactions.")
        }
    }

    /// Returns the error of a transaction's number, which plugins have where the token is missing; nil for other text.
    private static func mistake(in text: ArraySlice<UInt8>) -> ReceiptError? {
        guard !text.isEmpty, text.count <= 20, text.allSatisfy(\.isASCIIDigit) else { return nil }
        return ReceiptError(.signedTransactionMissing, "'receipt-data' is the number of a transaction.")
    }

    private static func add(_ path: [String], to places: inout [String]) {
        guard !path.isEmpty, places.count < 3 else { return }
        let place = "'\(path.map { knownMembers.contains($0) ? $0 : "*" }.joined(separator: "."))'"
        if !places.contains(place) { places.append(place) }
    }

    /// The members of plugins and their back ends that contain receipts or tokens. Other names may be a secret's or a
    /// person's, so they aren't reported.
    private static let knownMembers: Set<String> = [
        "app_transaction", "appReceipt", "AppReceipt", "appStoreReceipt", "data", "fetch_token", "jws", "jwsReceipt",
        "jwsRepresentation", "jwsRepresentationIOS", "jwsRepresentationIos", "latest_receipt", "localVerificationData",
        "Payload", "payload", "purchaseToken", "receipt", "Receipt", "receipt-data", "receipt_data", "receiptData",
        "serverVerificationData", "signedPayload", "signedTransaction", "signedTransactionInfo", "signedTransactions",
        "token", "transaction", "transactionReceipt", "transactions", "verificationResultIOS",
    ]
}
