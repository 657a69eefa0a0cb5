#if Server
import AppReceiptFoundation
import AppReceiptSupport
import Crypto

/// The name under which the deliveries to a webhook are stored: its app and its address.
package struct WebhookName: Sendable, Hashable {
    /// The app's bundle identifier.
    package let app: String
    /// The address, which may contain secrets.
    package let url: String

    package init(app: String, url: String) {
        self.app = app
        self.url = url
    }

    /// Creates the name from its text in the database.
    package init(parsing text: String) {
        let app = text.prefix { $0 != " " }
        self.init(app: String(app), url: String(text[app.endIndex...].dropFirst()))
    }

    /// The text in the database. Bundle identifiers contain no spaces.
    package var text: String { "\(app) \(url)" }

    /// Distinguishes the webhook from others, without its address: eight hexadecimal digits, the same on every server.
    package var fingerprint: String { SHA256.hash(data: Array(text.utf8)).prefix(4).hexadecimal() }

    /// The address without user information, query and fragment, which may contain secrets.
    package var shownURL: String {
        let address = url.prefix { $0 != "?" && $0 != "#" }
        let scheme = address.prefix { $0 != ":" }
        let rest = address[scheme.endIndex...]
        guard rest.hasPrefix("://") else { return String(address) }
        let authority = rest.dropFirst(3).prefix { $0 != "/" }
        let host = authority.lastIndex(of: "@").map { authority[$0...].dropFirst() } ?? authority
        return "\(scheme)://\(host)\(address[authority.endIndex...])"
    }
}

/// The stored state of a webhook.
package struct WebhookStatus: Sendable, Hashable {
    /// The webhook, as ``WebhookName/text``.
    package let webhook: String
    /// The number of deliveries that wait for an attempt.
    package let waiting: Int
    /// The number of deliveries that were given up.
    package let dead: Int
    /// The date when a server first ran without the webhook in its configuration; nil if the last one has it.
    package let removed: Int64?

    package init(webhook: String, waiting: Int, dead: Int, removed: Int64?) {
        self.webhook = webhook
        self.waiting = waiting
        self.dead = dead
        self.removed = removed
    }
}

/// The deliveries that somebody replays, by what became of them.
package struct ReplayResult: Sendable, Hashable {
    /// The numbers of the deliveries that are sent again.
    package var replayed: [Int64]
    /// The numbers of those to webhooks that aren't configured any more, which stay as they are.
    package var removed: [Int64]

    package init(replayed: [Int64], removed: [Int64]) {
        self.replayed = replayed
        self.removed = removed
    }
}
#endif
