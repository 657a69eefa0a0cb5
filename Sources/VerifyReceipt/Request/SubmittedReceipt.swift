import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData

/// What a request submits. Its bytes determine the kind.
struct SubmittedReceipt {
    enum Kind {
        /// An app receipt in binary form.
        case app(ArraySlice<UInt8>)
        /// A transaction receipt: the text of its property list.
        case transaction(ArraySlice<UInt8>)
        /// Signed transactions.
        case signedTransactions
    }

    let kind: Kind
    /// The tokens, which are beside a receipt or alone.
    private(set) var tokens: [String] = []
    /// What was around the receipt or tokens, such as "'receipt-data.Payload'" or "quotation marks"; empty for a
    /// receipt as Apple's endpoint reads it, or a token alone.
    private(set) var wrappers: [String] = []

    var isSignedTransactions: Bool { if case .signedTransactions = kind { true } else { false } }

    /// Reads an app receipt or a transaction receipt, as Apple's endpoint does.
    init(_ text: ArraySlice<UInt8>, limits: ReceiptLimits) throws(ReceiptError) {
        do throws(ReceiptError) {
            kind = .app(try ReceiptInput(text, limits: limits).containerBytes)
        } catch {
            guard error.code == .inputTransactionReceipt else { throw error }
            kind = .transaction(Self.propertyList(text))
        }
    }

    /// Reads a receipt and tokens in `receipt-data` and in the other members of a request: each proves itself, however
    /// it is wrapped.
    ///
    /// - Throws: The error of `receipt-data` if there are none; `receipt-data-ambiguous`.
    init(anywhereIn request: RequestMembers, limits: ReceiptLimits) throws(ReceiptError) {
        let own = Result { () throws(ReceiptError) in
            try Self(wrapped: try request.receiptData.get(), limits: limits)
        }
        guard let text = request.textWithOtherMembers else {
            self = try own.get()
            return
        }
        let all = Result { () throws(ReceiptError) in try Self(searching: text, limits: limits) }
        switch (own, all) {
        case (.success(var receipt), .success(let all?)):
            receipt.add(all.tokens)
            self = receipt
        case (.success(let receipt), _): self = receipt
        case (.failure, .success(let all?)): self = all
        case (.failure(let error), .failure(let mistake)):
            throw error.code == .receiptDataMissing || error.code == .inputEmpty ? mistake : error
        case (.failure(let error), .success(nil)): throw error
        }
    }

    /// Reads a receipt or tokens, also in JSON or other wrappers.
    private init(wrapped text: ArraySlice<UInt8>, limits: ReceiptLimits) throws(ReceiptError) {
        do throws(ReceiptError) {
            try self.init(text, limits: limits)
        } catch {
            guard error.code != .inputTooLarge, let found = try Self(searching: text, limits: limits) else {
                throw error
            }
            self = found
        }
    }

    /// Searches text. Nil if it contains nothing.
    ///
    /// - Throws: `receipt-data-ambiguous` for several receipts, or the error that explains what is there instead.
    init?(searching text: ArraySlice<UInt8>, limits: ReceiptLimits) throws(ReceiptError) {
        let input = EvidenceInput(text, readsEveryMember: true)
        guard !input.isTruncated else { throw ReceiptError(.receiptDataAmbiguous) }
        var (receipts, tokens): ([ArraySlice<UInt8>: Kind], [String]) = ([:], [])
        var (places, mistake): ([String], ReceiptError?) = ([], Self.mistake(in: text))
        for (item, path) in zip(input.items, input.paths) {
            switch item {
            case .receipt(let bytes):
                guard let receipt = try? ReceiptInput(bytes, limits: limits) else { continue }
                receipts[receipt.containerBytes] = .app(receipt.containerBytes)
            case .transactionReceipt(let list): receipts[list] = .transaction(list)
            case .token(let token):
                if case .failure(let error) = item.receipt {
                    mistake = mistake ?? error
                    continue
                }
                tokens.append(token)
            }
            if !path.isEmpty, places.count < 3 { places.append(Self.place(path)) }
        }
        guard receipts.count <= 1 else { throw ReceiptError(.receiptDataAmbiguous) }
        guard tokens.count <= Self.maxTokens else {
            throw ReceiptError(
                .requestTooLarge, "The request contains more than \(Self.maxTokens) signed transactions.")
        }
        switch receipts.first?.value {
        case let found?: kind = found
        case nil where tokens.isEmpty:
            guard let mistake else { return nil }
            throw mistake
        case nil: kind = .signedTransactions
        }
        add(tokens)
        let steps = places + input.normalizations.filter { !$0.hasPrefix("JSON member") }
        wrappers = steps.indices.filter { steps.firstIndex(of: steps[$0]) == $0 }.map { steps[$0] }
    }

    /// Each token is verified.
    private static let maxTokens = 1_000

    /// Adds tokens, each once.
    private mutating func add(_ tokens: [String]) {
        var known = Set(self.tokens.map { ExactString($0) })
        self.tokens += tokens.filter { known.insert(ExactString($0)).inserted }
    }

    /// Returns the error of a transaction's number, which plugins have where the token is missing; nil for other text.
    private static func mistake(in text: ArraySlice<UInt8>) -> ReceiptError? {
        guard !text.isEmpty, text.count <= 20, text.allSatisfy(\.isASCIIDigit) else { return nil }
        return ReceiptError(.signedTransactionMissing, "'receipt-data' is the number of a transaction.")
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

    private static func place(_ path: [String]) -> String {
        "'\(path.map { knownMembers.contains($0) ? $0 : "*" }.joined(separator: "."))'"
    }

    /// Returns the property list, which some clients send without base64.
    static func propertyList(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        (try? Base64.decode(text)).map { $0[...] } ?? text
    }
}
