#if Server
import HTTPTypes

/// The headers that tell browsers not to interpret, load, frame or store a response.
enum SecurityHeaders {
    /// Adds the headers. A route's own policy and cache control stay.
    static func add(to headers: inout HTTPFields) {
        if !headers.contains(.contentSecurityPolicy) { headers.append(noPage) }
        if !headers.contains(.cacheControl) { headers.append(noStore) }
        // Appended, because no route sets these.
        headers.append(noSniffing)
        headers.append(noReferrer)
    }

    // The fields are created once, because creating one validates its value.

    /// The policy of responses that aren't pages.
    private static let noPage = HTTPField(
        name: .contentSecurityPolicy,
        value: "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
    private static let noStore = HTTPField(name: .cacheControl, value: "no-store")
    private static let noSniffing = HTTPField(name: .xContentTypeOptions, value: "nosniff")
    private static let noReferrer = HTTPField(name: .referrerPolicy, value: "no-referrer")
}
#endif
