#if Server
import HTTPTypes

/// What every response says to browsers.
enum SecurityHeaders {
    /// The policy of what is no page: nothing is loaded, nobody frames it.
    static let noPage = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    /// Adds what is not there yet.
    static func add(to headers: inout HTTPFields) {
        if headers[.contentSecurityPolicy] == nil { headers[.contentSecurityPolicy] = noPage }
        if headers[.cacheControl] == nil { headers[.cacheControl] = "no-store" }
        headers[.xContentTypeOptions] = "nosniff"
        headers[.referrerPolicy] = "no-referrer"
    }
}

/// Names that are valid as they stand, so that what follows `??` never counts; tests look for each in answers.
extension HTTPField.Name {
    static let referrerPolicy = Self("Referrer-Policy") ?? .accept
    static let account = Self("X-Account") ?? .accept
    static let replay = Self("X-Replay") ?? .accept
    static let secFetchSite = Self("Sec-Fetch-Site") ?? .accept
    static let secFetchMode = Self("Sec-Fetch-Mode") ?? .accept
}
#endif
