#if Server
import AppReceiptSupport

/// A receiver of an app's events.
public struct WebhookConfiguration: Sendable {
    /// The address, with the scheme `https`; `http` only for a host that is allowed by name. No other webhook of the
    /// app has the same one, because it names what is still to be sent.
    public var url: String
    /// The secrets that sign. All of them sign, so that a receiver can replace one by another.
    public var secrets: [Secret]
    /// The form of what is sent.
    public var format: Format
    /// Whether verified notifications of Apple are forwarded too, unchanged.
    public var forwardsNotifications: Bool

    /// Creates the configuration of a webhook.
    public init(url: String, secrets: [Secret], format: Format, forwardsNotifications: Bool = false) {
        self.url = url
        self.secrets = secrets
        self.format = format
        self.forwardsNotifications = forwardsNotifications
    }

    /// The form of what is sent.
    public enum Format: String, Sendable, CaseIterable {
        /// OpenIAP Commerce Protocol 1.0.
        case openIAP = "openiap"
        /// Standard Webhooks 1.0, with the event as it is.
        case standard
    }

    /// A secret that signs.
    public struct Secret: Sendable, CustomStringConvertible, CustomReflectable {
        let text: String
        /// The key of Standard Webhooks; nil if the text isn't one.
        let standardKey: [UInt8]?

        /// Creates a secret. Standard Webhooks' begin with `whsec_`, before base64.
        public init(_ text: String) {
            self.text = text
            let encoded = text.hasPrefix("whsec_") ? text.dropFirst(6) : text[...]
            standardKey = try? Base64.decode(Array(encoded.utf8)[...])
        }

        /// Returns whether a format can sign with it.
        public func isUsable(for format: Format) -> Bool {
            format == .openIAP ? text.utf8.count >= 32 : (standardKey?.count ?? 0) >= 24
        }

        /// A description without the secret.
        public var description: String { "Secret" }
        /// A mirror without the secret.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }
}
#endif
