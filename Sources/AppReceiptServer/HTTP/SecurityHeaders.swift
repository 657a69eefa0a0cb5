#if Server
import HTTPTypes

/// The headers that tell browsers not to interpret, load, frame or store a response.
enum SecurityHeaders {
    /// The policy of responses that aren't pages.
    static let noPage = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    /// Adds the headers. A route's own policy and cache control stay.
    static func add(to headers: inout HTTPFields) {
        if headers[.contentSecurityPolicy] == nil { headers[.contentSecurityPolicy] = noPage }
        if headers[.cacheControl] == nil { headers[.cacheControl] = "no-store" }
        headers.append(noSniffing)
        headers.append(noReferrer)
    }

    // Appended, because no route sets these. A field that exists needn't be validated again.
    private static let noSniffing = HTTPField(name: .xContentTypeOptions, value: "nosniff")
    private static let noReferrer = HTTPField(name: .referrerPolicy, value: "no-referrer")
}
#endif
