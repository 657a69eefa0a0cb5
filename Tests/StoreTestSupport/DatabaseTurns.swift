#if Server
/// The turns of tests to have a database.
///
/// Tests that wait for their databases are all begun at once: hundreds would have one, with ten or more open files
/// each. With about 1,360 open files, Foundation's `Process` reads beyond a buffer when it runs a program.
actor DatabaseTurns {
    static let shared = DatabaseTurns(count: 24)

    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(count: Int) { free = count }

    func begin() async {
        guard free == 0 else { return free -= 1 }
        await withCheckedContinuation { waiting.append($0) }
    }

    func end() {
        guard !waiting.isEmpty else { return free += 1 }
        waiting.removeFirst().resume()
    }
}
#endif
