#if Server
import Hummingbird
import NIOCore

/// The context of a request of the fake: the connection, which faults close.
@available(AppReceiptServer 1.0, *)
struct FakeServerContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: Source) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}
#endif
