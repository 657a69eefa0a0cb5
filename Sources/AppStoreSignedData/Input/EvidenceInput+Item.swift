import AppReceiptKit
import AppReceiptSupport

extension EvidenceInput {
    /// A receipt or token.
    package enum Item: Sendable, Hashable {
        /// A receipt in a form that ``ReceiptInput`` reads, or unrecognized text.
        case receipt(ArraySlice<UInt8>)
        /// The property list of a transaction receipt.
        case transactionReceipt(ArraySlice<UInt8>)
        /// A token (JWS), or what was sent instead: a part of one, StoreKit 2's JSON without a signature, a version 1
        /// notification without a receipt, or a response of verifyReceipt without one.
        case token(String)

        /// The bytes of the item; for a token its UTF-8 text, so that the receipt parser can report
        /// `input-signed-data`.
        package var bytes: ArraySlice<UInt8> {
            switch self {
            case .receipt(let bytes), .transactionReceipt(let bytes): bytes
            case .token(let text): Array(text.utf8)[...]
            }
        }

        /// The bytes for a reader of receipts, or the error for JSON that was sent instead of a token.
        package var receipt: Result<ArraySlice<UInt8>, ReceiptError> {
            guard case .token(let text) = self else { return .success(bytes) }
            let bytes = ArraySlice(text.utf8)
            guard let mistake = JWS.mistake(bytes) ?? JWS.mistake(inParts: bytes),
                [.tokenUnsigned, .notificationVersion1, .responseWithoutReceipt].contains(mistake.code)
            else { return .success(bytes) }
            return .failure(mistake)
        }

        /// Whether this is a token whose header names certificates, as every token of the App Store does.
        package var hasCertificates: Bool {
            guard case .token(let text) = self else { return false }
            return JWS.hasCertificates(ArraySlice(text.utf8))
        }

        /// Whether this isn't just any text.
        package var isRecognized: Bool {
            switch self {
            case .receipt(let bytes):
                PartialDocument.begins(bytes) || bytes.first == BERTag.sequence || bytes.starts(with: "-----".utf8)
            case .transactionReceipt: true
            case .token(let text): !text.isEmpty
            }
        }

        var isEmpty: Bool {
            switch self {
            case .receipt(let bytes), .transactionReceipt(let bytes): bytes.isEmpty
            case .token(let text): text.isEmpty
            }
        }

        /// The text of the item; for a receipt its bytes as UTF-8, so that the token parser can report
        /// `token-malformed`.
        package var text: String {
            switch self {
            case .receipt(let bytes), .transactionReceipt(let bytes): String(decoding: bytes, as: UTF8.self)
            case .token(let text): text
            }
        }
    }
}
