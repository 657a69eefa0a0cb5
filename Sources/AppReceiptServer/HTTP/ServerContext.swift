#if Server
import Hummingbird
import Logging

/// The context of a request on its way through middleware and routes.
@available(AppReceiptServer 1.0, *)
struct ServerContext: RequestContext {
    var coreContext: CoreRequestContextStorage

    init(source: Source) { coreContext = CoreRequestContextStorage(source: source) }
}
#endif
