#if Server
import Hummingbird

/// The context of a request: what middleware determined about it.
@available(AppReceiptServer 1.0, *)
struct ServerContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The account that submits the request, or nil if the request names none.
    var account: String?

    init(source: Source) { coreContext = CoreRequestContextStorage(source: source) }
}
#endif
