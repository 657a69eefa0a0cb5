import AppReceiptKit
import AppReceiptSupport

/// The body of the App Store server's request: `{"signedPayload": "…"}`.
enum NotificationBody {
    /// Returns the token in a request's body.
    static func token(in body: some Collection<UInt8>, limits: SignedDataLimits) throws(ReceiptError) -> String {
        // Escapes may make the text longer than the token.
        guard body.count <= 2 * limits.maxTokenBytes else { throw ReceiptError(.tokenTooLarge) }
        let value: JSONValue
        do throws(JSONValue.Fault) {
            value = try JSONValue(parsing: Array(body)[...].withoutByteOrderMark, depth: limits.maxDepth)
        } catch {
            throw ReceiptError(.tokenMalformed, "The request's body is \(error.predicate).")
        }
        if let mistake = value.object?.tokenMistake { throw ReceiptError(mistake) }
        guard let token = value.object?["signedPayload"]?.string else {
            throw ReceiptError(.tokenMalformed, "The request's body doesn't have a string member 'signedPayload'.")
        }
        return token
    }
}
