#if Server
import HTTPTypes

extension HTTPFields {
    /// Whether `Connection` has the option `close`, in any case (RFC 9110, 7.6.1).
    var closesConnection: Bool {
        contains { field in
            field.name == .connection
                && field.value.lowercased().split(separator: ",").contains {
                    $0.filter { $0 != " " && $0 != "\t" } == "close"
                }
        }
    }

    /// Whether the client waits for 100 (Continue) before it sends the body. curl waits for a second.
    var expectsContinue: Bool { self[.expect]?.lowercased() == "100-continue" }

    /// The announced length of the body, or nil if there is none. A number that doesn't fit is the largest `Int`.
    var announcedLength: Int? {
        // The subscript joins the values of all fields with this name, which takes several times as long.
        first { $0.name == .contentLength }.map { Int($0.value) ?? .max }
    }
}

extension HTTPField.Name {
    static let referrerPolicy = literal("Referrer-Policy")
    static let account = literal("X-Account")
    static let evidence = literal("X-Evidence")
    static let replay = literal("X-Replay")
    static let receiptHint = literal("X-Receipt-Hint")
    static let eventCursor = literal("X-Event-Cursor")
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
