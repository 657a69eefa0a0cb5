#if Server
/// The turns of tests to have a database.
///
/// Tests that wait for their databases are all begun at once: hundreds would have one, with ten or more open files
/// each. With about 1,360 open files, Foundation's `Process` reads beyond a buffer when it runs a program.
actor DatabaseTurns {
    static let shared = DatabaseTurns(count: 24)

    /// Whether the test has a turn. It has all of its databases in that turn: tests that waited for another one would
    /// wait for each other.
    @TaskLocal private static var isTaken = false

    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(count: Int) { free = count }

    /// Calls `body` in a turn.
    nonisolated func withTurn<Result>(_ body: () async throws -> Result) async throws -> Result {
        guard !Self.isTaken else { return try await body() }
        await begin()
        do {
            let result = try await Self.$isTaken.withValue(true) { try await body() }
            await end()
            return result
        } catch {
            await end()
            throw error
        }
    }

    private func begin() async {
        guard free == 0 else { return free -= 1 }
        await withCheckedContinuation { waiting.append($0) }
    }

    private func end() {
        guard !waiting.isEmpty else { return free += 1 }
        waiting.removeFirst().resume()
    }
}
#endif
