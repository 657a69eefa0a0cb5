#if Server
import Hummingbird
import Logging

/// What goes with a request through the server.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
struct ServerContext: RequestContext {
    var coreContext: CoreRequestContextStorage

    init(source: Source) { coreContext = CoreRequestContextStorage(source: source) }
}
#endif
