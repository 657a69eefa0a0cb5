import AppStoreServerAPI

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

@available(AppStoreServerAPI 1.0, *)
extension FakeAppStoreServer {
    /// An attempt to deliver a notification.
    public struct SendAttempt: Sendable, Hashable {
        /// The date of the attempt.
        public var date: Date
        /// The result, such as `SUCCESS` or `TIMED_OUT`.
        public var result: String

        /// Creates an attempt, by default a successful one.
        public init(_ date: Date, _ result: String = "SUCCESS") {
            self.date = date
            self.result = result
        }
    }
}
