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

    private(set) var kind: Kind
    /// The tokens, which are beside a receipt or alone.
    private(set) var tokens: [String] = []
    /// Where the receipt or tokens were, such as "'Payload'"; empty for `receipt-data` itself.
    private(set) var places: [String] = []
    /// What was removed or decoded, such as "quotation marks"; empty for a receipt as Apple's endpoint reads it, or a
    /// token alone.
    private(set) var normalizations: [String] = []
    /// Whether there is another receipt, which isn't used.
    private(set) var hasOtherReceipt = false

    var isSignedTransactions: Bool { if case .signedTransactions = kind { true } else { false } }
    /// Whether this is `receipt-data` as Apple's endpoint reads it, or a token alone.
    var isPlain: Bool { places.isEmpty && normalizations.isEmpty }

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
    /// - Throws: The error of `receipt-data` if there are none, or if it is a damaged one; `receipt-data-ambiguous`;
    ///   `request-too-large` for too many tokens.
    init(anywhereIn request: RequestMembers, limits: ReceiptLimits) throws(ReceiptError) {
        let own = Result { () throws(ReceiptError) in
            try Self(wrapped: try request.receiptData.get(), limits: limits)
        }
        guard let text = request.textWithOtherMembers else {
            self = try own.get()
            return
        }
        if case .failure(let error) = own, !Self.absenceCodes.contains(error.code) { throw error }
        let search = try ReceiptSearch(text, limits: limits)
        switch own {
        case .success(let receipt) where !receipt.isSignedTransactions:
            self = receipt
            hasOtherReceipt = search.receipts.count > 1
            add(search.tokens)
        case .success(let tokens):
            self = tokens
            // An app receipt has more purchases than the tokens. A transaction receipt has one.
            if let found = try Self(search), case .app = found.kind {
                self = found
            } else {
                hasOtherReceipt = !search.receipts.isEmpty
                add(search.tokens)
            }
        case .failure(let error):
            guard let found = try Self(search) else {
                throw error.code == .receiptDataMissing || error.code == .inputEmpty ? search.mistake ?? error : error
            }
            self = found
        }
    }

    /// The errors of a `receipt-data` that isn't a receipt or token, not even a damaged one.
    private static let absenceCodes: Set<ReceiptError.Code> = [
        .receiptDataMissing, .receiptDataMistyped, .inputEmpty, .inputJSON, .tokenUnsigned, .signedTransactionMissing,
    ]

    /// Reads a receipt or tokens, also in JSON or other wrappers.
    private init(wrapped text: ArraySlice<UInt8>, limits: ReceiptLimits) throws(ReceiptError) {
        do throws(ReceiptError) {
            try self.init(text, limits: limits)
        } catch {
            guard error.code != .inputTooLarge else { throw error }
            let search = try ReceiptSearch(text, limits: limits)
            guard let found = try Self(search) else { throw search.mistake ?? error }
            self = found
            if isPlain, !isSignedTransactions { normalizations = ["an array"] }
        }
    }

    /// Creates what a search found. Nil if it found nothing.
    ///
    /// - Throws: `receipt-data-ambiguous`.
    init?(_ search: ReceiptSearch) throws(ReceiptError) {
        guard search.receipts.count <= 1 else { throw ReceiptError(.receiptDataAmbiguous) }
        guard let receipt = search.receipts.first?.value ?? (search.tokens.isEmpty ? nil : .signedTransactions) else {
            return nil
        }
        kind = receipt
        places = isSignedTransactions ? search.tokenPlaces : search.receiptPlaces
        normalizations = search.normalizations
        add(search.tokens)
    }

    /// Adds tokens, each once.
    private mutating func add(_ tokens: [String]) {
        var known = Set(self.tokens.map { ExactString($0) })
        self.tokens += tokens.filter { known.insert(ExactString($0)).inserted }
    }

    /// Returns the property list, which some clients send without base64.
    static func propertyList(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        (try? Base64.decode(text)).map { $0[...] } ?? text
    }
}
