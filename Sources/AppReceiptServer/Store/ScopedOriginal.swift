#if Server
/// An original transaction of an app in one environment.
struct ScopedOriginal: Sendable, Hashable {
    let scope: AppScope
    let originalTransactionIdentifier: String
}
#endif
