#if Server
import AppReceiptFoundation
import AppReceiptSupport
import Crypto

/// The headers that sign what is sent to a webhook. Each secret signs, so that a receiver can replace one.
///
/// Sources: OpenIAP Commerce Protocol 1.0, 9.4; Standard Webhooks 1.0.0.
enum WebhookSignature {
    /// Returns the headers.
    ///
    /// - Parameters:
    ///   - body: What is sent.
    ///   - identifier: What identifies the event, the same for every attempt.
    ///   - date: The current time, in seconds since 1970.
    ///   - format: The format.
    ///   - secrets: The secrets, each of which ``WebhookConfiguration/Secret/isUsable(for:)``.
    static func headers(
        of body: [UInt8], identifier: String, at date: Int64, format: WebhookConfiguration.Format,
        secrets: [WebhookConfiguration.Secret]
    ) -> [String: String] {
        switch format {
        case .openIAP:
            let signatures = secrets.map { secret in
                let code = code(of: ["\(date)"], body, key: Array(secret.text.utf8))
                return "v1=" + code.hexadecimal()
            }
            return [
                "openiap-signature": signatures.joined(separator: ","), "openiap-timestamp": "\(date)",
                "openiap-event-id": identifier, "openiap-delivery-id": identifier,
            ]
        case .standard:
            let signatures = secrets.compactMap(\.standardKey).map { key in
                "v1," + Data(code(of: [identifier, "\(date)"], body, key: key)).base64EncodedString()
            }
            return [
                "webhook-id": identifier, "webhook-timestamp": "\(date)",
                "webhook-signature": signatures.joined(separator: " "),
            ]
        }
    }

    /// HMAC-SHA256 of the parts and the body, with periods between them.
    private static func code(of parts: [String], _ body: [UInt8], key: [UInt8]) -> [UInt8] {
        let signed = parts.flatMap { Array(($0 + ".").utf8) } + body
        return Array(HMAC<SHA256>.authenticationCode(for: Data(signed), using: SymmetricKey(data: key)))
    }
}
#endif
