#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The source of time of a client. A test replaces it, so that nothing waits.
@available(AppStoreServerAPI 1.0, *)
public struct AppStoreServerClock: Sendable {
    /// Returns the current time.
    public var now: @Sendable () -> Date
    /// Waits. Throws `CancellationError` if the task is canceled.
    public var sleep: @Sendable (Duration) async throws -> Void

    /// Creates a clock.
    public init(now: @escaping @Sendable () -> Date, sleep: @escaping @Sendable (Duration) async throws -> Void) {
        self.now = now
        self.sleep = sleep
    }

    /// The system's clock.
    public static let system = AppStoreServerClock(now: { Date() }, sleep: { try await Task.sleep(for: $0) })
}
