#if Server
import HTTPTypes

extension HTTPField.Name {
    static let referrerPolicy = literal("Referrer-Policy")
    static let account = literal("X-Account")
    static let evidence = literal("X-Evidence")
    static let replay = literal("X-Replay")
    static let requestID = literal("X-Request-Id")
    static let secFetchSite = literal("Sec-Fetch-Site")
    static let secFetchMode = literal("Sec-Fetch-Mode")

    /// Creates a name from a literal. A literal that isn't a valid name is a programming error.
    private static func literal(_ name: StaticString) -> Self {
        guard let name = Self("\(name)") else { preconditionFailure("Invalid header name: \(name)") }
        return name
    }
}
#endif
