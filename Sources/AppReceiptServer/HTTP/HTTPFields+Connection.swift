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
#endif
