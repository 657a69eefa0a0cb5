import AppReceiptKit
import AppReceiptSupport
import AppStoreServerAPI

/// Shows on standard error that a command reads pages or waits, if it is a terminal.
@available(AppStoreServerAPI 1.0, *)
struct StoreProgress: Sendable {
    private struct Count {
        var pages = 0
        var items = 0
    }

    private let count = LockedValueBox(Count())

    /// The number of pages that were read.
    var pageCount: Int { count.withLock { $0.pages } }

    /// Counts a page.
    ///
    /// - Parameter hasMore: Whether another page follows. A list with one page shows nothing.
    func add(_ items: Int, named name: String, in environment: AppStoreEnvironment, hasMore: Bool) {
        let count = count.withLock { count in
            count.pages += 1
            count.items += items
            return count
        }
        guard hasMore || count.pages > 1 else { return }
        let pages = count.pages == 1 ? "page" : "pages"
        Terminal.showProgress("\(environment.rawValue): \(count.pages) \(pages), \(count.items) \(name)")
    }

    /// The system's clock, which shows waits before a request is repeated.
    var clock: AppStoreServerClock {
        AppStoreServerClock(now: AppStoreServerClock.system.now) { duration in
            if duration >= .seconds(1) {
                Terminal.showProgress("Waiting \(duration.components.seconds) s for the App Store")
            }
            try await AppStoreServerClock.system.sleep(duration)
        }
    }

    /// Removes the line.
    func finish() { Terminal.clearProgress() }
}
