import AppReceiptKit
import AppReceiptSupport

/// The receipt in `receipt-data`. Its bytes determine the kind.
enum SubmittedReceipt {
    /// An app receipt in binary form.
    case app(ArraySlice<UInt8>)
    /// A transaction receipt: the text of its property list.
    case transaction(ArraySlice<UInt8>)

    init(_ text: ArraySlice<UInt8>, limits: ReceiptLimits) throws(ReceiptError) {
        do throws(ReceiptError) {
            self = .app(try ReceiptInput(text, limits: limits).containerBytes)
        } catch {
            guard error.code == .inputTransactionReceipt else { throw error }
            self = .transaction(Self.propertyList(text))
        }
    }

    /// The property list, which some clients send without base64.
    static func propertyList(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        (try? Base64.decode(text)).map { $0[...] } ?? text
    }
}
