#if Server
import AppReceiptKit
import Testing
import AppReceiptSupport

@testable import AppReceiptServer

/// Large bodies are judged a few at a time, and small ones at once.
@Suite struct LargeBodiesTests {
    /// How many bodies of these sizes were judged at the same time at most, and how many bytes that were.
    private static func most(_ sizes: [Int]) async throws -> (count: Int, bytes: Int, judged: Int) {
        struct Now {
            var (count, bytes, judged) = (0, 0, 0)
            var most = (count: 0, bytes: 0)
        }
        let bodies = LargeBodies()
        let now = LockedValueBox(Now())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for size in sizes {
                group.addTask {
                    try await bodies.inTurn(size) {
                        now.withLock { now in
                            now.count += 1
                            now.bytes += size
                            now.most = (max(now.most.count, now.count), max(now.most.bytes, now.bytes))
                        }
                        try await Task.sleep(for: .milliseconds(20))
                        now.withLock { now in
                            now.count -= 1
                            now.bytes -= size
                            now.judged += 1
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        return now.withLock { ($0.most.count, $0.most.bytes, $0.judged) }
    }

    @Test("what is judged at the same time is no more than the limit, and all have their turn")
    func bound() async throws {
        let megabyte = 1 << 20
        let (count, bytes, judged) = try await Self.most(
            (0..<40).map { [megabyte, 3 * megabyte, 65 << 10][$0 % 3] })
        #expect(bytes <= LargeBodies.maxBytes && count > 1)
        #expect(judged == 40)
    }

    @Test("one that is larger than the limit goes alone")
    func alone() async throws {
        let (count, _, judged) = try await Self.most(Array(repeating: LargeBodies.maxBytes + 1, count: 4))
        #expect(count == 1 && judged == 4)
    }

    @Test("small ones never wait, whatever is being judged")
    func small() async throws {
        let bodies = LargeBodies()
        let judged = try await bodies.inTurn(LargeBodies.maxBytes) {
            try await bodies.inTurn(LargeBodies.smallBytes) { true }
        }
        #expect(judged)
    }

    @Test("one that fails gives its turn to the next")
    func failing() async throws {
        struct Failed: Error {}
        let bodies = LargeBodies()
        for _ in 0..<2 {
            await #expect(throws: Failed.self) {
                try await bodies.inTurn(LargeBodies.maxBytes) { throw Failed() }
            }
        }
    }
}
#endif
