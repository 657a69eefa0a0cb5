#if Server
import Hummingbird
import Logging

/// What goes with a request through the server.
@available(AppReceiptServer 1.0, *)
struct ServerContext: RequestContext {
    var coreContext: CoreRequestContextStorage

    init(source: Source) { coreContext = CoreRequestContextStorage(source: source) }
}
#endif
