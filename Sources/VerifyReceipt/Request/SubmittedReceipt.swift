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
    /// The tokens of a request without a receipt.
    private(set) var tokens: [String] = []
    /// The tokens beside a receipt, or beside those in `receipt-data`.
    private(set) var tokensBeside: [String] = []
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
    /// `receipt-data` decides: other members add tokens to it, and replace only what isn't a receipt or token.
    ///
    /// - Throws: The error of `receipt-data` if there are none, or if it is a damaged one; `receipt-data-ambiguous`;
    ///   `request-too-large` for too many tokens.
    init(anywhereIn request: RequestMembers, limits: ReceiptLimits) throws(ReceiptError) {
        let own = try Self.read(request.receiptData, limits: limits)
        guard let text = request.textWithOtherMembers else {
            self = try own.get()
            return
        }
        let search = try ReceiptSearch(text, limits: limits)
        switch own {
        case .success(let receipt):
            self = receipt
            hasOtherReceipt = search.receipts.count > (isSignedTransactions ? 0 : 1)
            addBeside(search.tokens)
        case .failure(let error):
            guard let found = try Self(search) else {
                throw error.code == .receiptDataMissing || error.code == .inputEmpty ? search.mistake ?? error : error
            }
            self = found
        }
    }

    /// Reads a receipt or tokens in `receipt-data`, also in JSON or other wrappers.
    ///
    /// - Returns: The receipt or tokens, or the error of other text: clients write "undefined" or "null".
    /// - Throws: The error of a damaged receipt; `receipt-data-ambiguous`; `request-too-large` for too many tokens.
    private static func read(
        _ receiptData: Result<ArraySlice<UInt8>, ReceiptError>, limits: ReceiptLimits
    ) throws(ReceiptError) -> Result<SubmittedReceipt, ReceiptError> {
        let text: ArraySlice<UInt8>
        switch receiptData {
        case .success(let bytes): text = bytes
        case .failure(let error): return .failure(error)
        }
        do throws(ReceiptError) {
            return .success(try Self(text, limits: limits))
        } catch {
            guard error.code != .inputTooLarge else { throw error }
            let search = try ReceiptSearch(text, limits: limits)
            if let damage = search.damage { throw damage }
            guard var found = try Self(search) else {
                guard error.code != .inputBase64Twice else { throw error }
                return .failure(search.mistake ?? error)
            }
            if found.isPlain, !found.isSignedTransactions { found.normalizations = ["an array"] }
            return .success(found)
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
        if isSignedTransactions { tokens = search.tokens } else { tokensBeside = search.tokens }
    }

    /// Adds tokens that aren't known.
    private mutating func addBeside(_ found: [String]) {
        var known = Set((tokens + tokensBeside).map { ExactString($0) })
        tokensBeside += found.filter { known.insert(ExactString($0)).inserted }
    }

    /// Returns the property list, which some clients send without base64.
    static func propertyList(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        (try? Base64.decode(text)).map { $0[...] } ?? text
    }
}
