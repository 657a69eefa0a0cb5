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
    /// The tokens, which are beside an app receipt or alone.
    private(set) var tokens: [String] = []
    var isSignedTransactions: Bool { if case .signedTransactions = kind { true } else { false } }
    /// Where the receipt or tokens were, such as "JSON member 'Payload'"; nil if they were the text itself.
    private(set) var wrapper: String?

    /// Reads an app receipt or a transaction receipt.
    init(_ text: ArraySlice<UInt8>, limits: ReceiptLimits) throws(ReceiptError) {
        do throws(ReceiptError) {
            kind = .app(try ReceiptInput(text, limits: limits).containerBytes)
        } catch {
            guard error.code == .inputTransactionReceipt else { throw error }
            kind = .transaction(Self.propertyList(text))
        }
    }

    /// Reads a receipt or tokens, also among other members of JSON: a token or a receipt proves itself, however it is
    /// wrapped.
    ///
    /// - Throws: The error of the text if it contains neither, or several receipts.
    init(anywhereIn text: ArraySlice<UInt8>, limits: ReceiptLimits) throws(ReceiptError) {
        do throws(ReceiptError) {
            try self.init(text, limits: limits)
            return
        } catch {
            guard error.code != .inputTooLarge, let found = try Self(searching: text, limits: limits) else {
                throw error
            }
            self = found
        }
    }

    /// Searches text. Nil if it contains nothing or several receipts.
    ///
    /// - Throws: The error that explains what is there instead.
    private init?(searching text: ArraySlice<UInt8>, limits: ReceiptLimits) throws(ReceiptError) {
        let input = EvidenceInput(text)
        var (kinds, mistake): ([ArraySlice<UInt8>: Kind], ReceiptError?) = ([:], nil)
        for item in input.items {
            switch item {
            case .receipt(let bytes):
                guard let receipt = try? ReceiptInput(bytes, limits: limits) else { continue }
                kinds[receipt.containerBytes] = .app(receipt.containerBytes)
            case .transactionReceipt(let list): kinds[list] = .transaction(list)
            case .token(let token):
                if case .failure(let error) = item.receipt {
                    mistake = mistake ?? error
                } else if !tokens.contains(token) {
                    tokens.append(token)
                }
            }
        }
        guard kinds.count <= 1, !input.isTruncated else { return nil }
        switch kinds.first?.value {
        case let found?: kind = found
        case nil where tokens.isEmpty:
            guard let mistake else { return nil }
            throw mistake
        case nil: kind = .signedTransactions
        }
        wrapper = input.normalizations.isEmpty ? nil : input.normalizations.joined(separator: ", ")
    }

    /// Returns the property list, which some clients send without base64.
    static func propertyList(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        (try? Base64.decode(text)).map { $0[...] } ?? text
    }
}
