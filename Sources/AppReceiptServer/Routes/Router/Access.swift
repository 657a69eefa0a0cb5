#if Server
import AppReceiptKit
import AppReceiptSupport
import HTTPTypes

/// The apps about which a client may ask.
struct Access: Sendable {
    /// The apps.
    let apps: AcceptedValues<String>
    /// The name of the client's token; nil for a server without tokens.
    var token: String?
    /// Whether the client may read what is stored, besides what it sends.
    var mayRead = true

    /// Access to every app.
    static let everyApp = Access(apps: .anyBundle)

    /// Returns whether the client may ask about an app, compared byte by byte. What names no app needs access to every
    /// app.
    func allows(_ app: String?) -> Bool {
        guard let apps = apps.values else { return true }
        guard let app else { return false }
        return apps.contains { ExactString($0) == ExactString(app) }
    }

    private func notAllowed(_ message: String) -> APIError {
        var error = APIError(.forbidden, .appNotAllowed, message)
        error.token = token
        return error
    }

    /// Checks an app that is in a receipt or token.
    ///
    /// - Throws: `app-not-allowed` if the client may not ask about the app.
    func check(_ app: String?) throws(APIError) {
        guard allows(app) else {
            throw notAllowed("The client's token isn't for this app.")
        }
    }

    /// Checks apps that a request names.
    ///
    /// - Throws: `app-not-allowed`, whether the app is served or not, if the client may not ask about one of them.
    func check(requested apps: some Sequence<String>) throws(APIError) {
        for app in apps where !allows(app) {
            throw notAllowed("The client's token isn't for the app '\(app)'.")
        }
    }
}

extension AcceptedValues {
    /// The values as the store's operations take them; nil for any.
    var set: Set<Value>? { values.map { Set($0) } }
}
#endif
