#if Server
import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData

/// A request of cordova-plugin-purchase, version 8 or newer.
///
/// Version 13 sends the app with its receipt or newest transaction, older versions a product with a receipt. Only the
/// receipt or token is signed, so all other members are ignored.
@available(AppReceiptServer 1.0, *)
struct ValidatorRequest: Sendable {
    /// What Apple signed.
    let proof: Proof

    /// The app or product.
    private let identifier: String
    /// `application`, or the type of a product; nil if there is none.
    private let type: String?

    /// A receipt or token.
    enum Proof: Sendable {
        /// `ios-appstore`: the app receipt.
        case receipt(EvidenceInput.Item)
        /// `apple-sk2`: a signed transaction.
        case token(String)
    }

    /// Parses the body of a request. The content type has no effect.
    ///
    /// - Throws: `INVALID_PAYLOAD`.
    init(parsing body: [UInt8]) throws(ValidatorFailure) {
        guard let object = (try? AppStoreJSON(parsing: body[...].withoutByteOrderMark))?.object else {
            throw ValidatorFailure(.invalidPayload, "The body must be a JSON object.")
        }
        guard let identifier = object["id"]?.string, !identifier.isEmpty else {
            throw ValidatorFailure(.invalidPayload, "'id', the bundle identifier of the app, is missing.")
        }
        guard let transaction = object["transaction"]?.object else {
            throw ValidatorFailure(.invalidPayload, "'transaction' is missing.")
        }
        self.identifier = identifier
        type = object["type"]?.string
        proof = try Self.proof(in: transaction)
    }

    private static func proof(in transaction: AppStoreJSON.Object) throws(ValidatorFailure) -> Proof {
        func text(_ name: String) throws(ValidatorFailure) -> String {
            guard let text = transaction[name]?.string, !text.isEmpty else {
                throw ValidatorFailure(.invalidPayload, "'transaction.\(name)' is missing.")
            }
            return text
        }
        switch transaction["type"]?.string {
        case "ios-appstore":
            return .receipt(.receipt(Array(try text("appStoreReceipt").utf8)[...].trimmingWhitespace))
        case "apple-sk2":
            let token = Array(try text("jwsRepresentation").utf8)[...].trimmingWhitespace
            return .token(String(decoding: token, as: UTF8.self))
        default:
            throw ValidatorFailure(
                .invalidPayload, "Expected 'transaction.type' ios-appstore or apple-sk2. Other stores aren't known.")
        }
    }

    /// Returns the product that a request is about; nil if it is about the app.
    ///
    /// - Parameter app: The app that the receipt or token proves.
    /// - Throws: `INVALID_PAYLOAD` for a request about another app.
    func product(ofApp app: String?) throws(ValidatorFailure) -> String? {
        if app.map({ ExactString($0) }) == ExactString(identifier) { return nil }
        guard let type, type != "application" else {
            throw ValidatorFailure(
                .invalidPayload, "'id' is another app's, not that of the receipt or token.")
        }
        return identifier
    }
}
#endif
