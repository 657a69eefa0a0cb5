#if Server
import AppReceiptSupport
import HTTPTypes

/// The apps about which a client may ask.
struct Access: Sendable, Hashable {
    /// The apps; nil for every app.
    let apps: Set<String>?

    /// Access to every app.
    static let everyApp = Access(apps: nil)

    /// Whether the client may ask about an app, compared byte by byte.
    func allows(_ app: String) -> Bool {
        apps.map { $0.contains { ExactString($0) == ExactString(app) } } ?? true
    }

    /// - Throws: `app-not-allowed` if the client may not ask about the app.
    func check(_ app: String) throws(APIError) {
        guard allows(app) else {
            throw APIError(.forbidden, .appNotAllowed, "The client's token isn't for this app.")
        }
    }
}
#endif
