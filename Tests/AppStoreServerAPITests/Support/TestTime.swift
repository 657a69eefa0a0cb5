import AppReceiptSupport
import AppStoreServerAPI
import Foundation
import TestSupport

/// A clock that waiting sets forward, so that nothing waits.
@available(AppStoreServerAPI 1.0, *)
final class TestTime: Sendable {
    private struct State {
        var now = instant("2025-01-01T00:00:00Z")
        var sleeps: [Double] = []
        var onSleep: (@Sendable () throws -> Void)?
    }

    private let state = LockedValueBox(State())

    /// The current time.
    var now: Date {
        get { state.withLock { $0.now } }
        set { state.withLock { $0.now = newValue } }
    }

    /// The waits so far, in seconds.
    var sleeps: [Double] { state.withLock { $0.sleeps } }

    /// Calls a function at each wait.
    func onSleep(_ body: @escaping @Sendable () throws -> Void) { state.withLock { $0.onSleep = body } }

    var clock: AppStoreServerClock {
        AppStoreServerClock(now: { self.now }) { duration in
            let seconds = Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
            let body = self.state.withLock { state in
                state.sleeps.append((seconds * 1000).rounded() / 1000)
                state.now += seconds
                return state.onSleep
            }
            try body?()
            try Task.checkCancellation()
        }
    }
}
