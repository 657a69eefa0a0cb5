#if Server
import HTTPTypes
import Hummingbird

@available(AppReceiptServer 1.0, *)
extension Request {
    /// The media type in `Content-Type`, in lower case and without parameters; empty if there is none.
    var mediaType: String {
        (headers[.contentType] ?? "").prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
    }
}
#endif
