#if Server
/// What the database contains about the requests to the App Store for one original transaction. Dates are milliseconds since 1970.
struct Completion: Sendable, Hashable {
    /// When the App Store last answered completely; nil if it never did.
    var completed: Int64?
    /// The position in the customer's history from which the next request continues.
    var revision: String?
    /// The number of requests that failed since.
    var attempts: Int
}
#endif
