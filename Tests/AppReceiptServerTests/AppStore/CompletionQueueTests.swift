#if Server
import AppReceiptKit
import Testing

@testable import AppReceiptServer

@Suite("CompletionQueue")
struct CompletionQueueTests {
    private func batch(_ app: String, _ originals: String...) throws -> [ScopedOriginal] {
        let scope = try #require(AppScope(app: app, .production))
        return originals.map { ScopedOriginal(scope: scope, originalTransactionIdentifier: $0) }
    }

    @Test("The batch of the newest response comes first, then those of the database in their order")
    func order() throws {
        var queue = CompletionQueue()
        let scope = try #require(AppScope(app: "com.example.app", .production))
        queue.addFirst(try batch(scope.app, "1", "2"))
        queue.addLast([try batch(scope.app, "3"), try batch(scope.app, "4")], of: scope)
        queue.addFirst(try batch(scope.app, "5"))
        #expect(queue.count == 5)
        #expect(queue.count(of: scope) == 5)
        var order: [[String]] = []
        while let next = queue.next(requests: [:], limit: 1) { order.append(next.map(\.originalTransactionIdentifier)) }
        #expect(order == [["5"], ["1", "2"], ["3"], ["4"]])
        #expect(queue.count == 0)
        #expect(queue.count(of: scope) == 0)
    }

    @Test("The app with the fewest requests in progress is next, and none exceeds the limit")
    func fairness() throws {
        var queue = CompletionQueue()
        let (busy, idle) = (try batch("com.example.busy", "1"), try batch("com.example.idle", "2"))
        for batch in [busy, busy, idle] { queue.addFirst(batch) }
        #expect(queue.next(requests: [busy[0].scope: 2], limit: 2) == idle)
        #expect(queue.next(requests: [busy[0].scope: 2], limit: 2) == nil)
        #expect(queue.next(requests: [busy[0].scope: 1], limit: 2) == busy)
    }
}
#endif
