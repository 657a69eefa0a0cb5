import AppStoreServerAPI

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

@available(AppStoreServerAPI 1.0, *)
extension FakeAppStoreServer {
    /// The forms of the header `Retry-After`.
    public enum RetryAfter: Sendable, Hashable {
        /// Milliseconds since 1970, as Apple sends it.
        case date(Date)
        /// Seconds to wait, as in RFC 9110.
        case seconds(Int)
    }
}
