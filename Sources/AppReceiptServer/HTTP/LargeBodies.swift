#if Server
import AppReceiptKit
import AppReceiptSupport

/// Lets large bodies be judged a few at a time.
///
/// What is made of a body takes ten times its room: the bytes, what was read of them, and the answer. A request that waits
/// for the database keeps all of that while the next one begins, so processors alone do not bound how many there are.
/// Small bodies never wait: they take little, and that many of them wait for the disk together is what makes it quick.
final class LargeBodies: Sendable {
    /// A body up to this size is judged at once.
    static let smallBytes = 64 << 10
    /// As much as is judged at the same time, unless one alone has more.
    static let maxBytes = 8 << 20

    private struct State: Sendable {
        var taken = 0
        var waiting: [(bytes: Int, turn: CheckedContinuation<Void, Never>)] = []

        /// Takes room if there is some; one that would never have enough goes alone.
        mutating func take(_ bytes: Int) -> Bool {
            guard taken == 0 || taken + bytes <= LargeBodies.maxBytes else { return false }
            taken += bytes
            return true
        }
    }

    private let state = LockedValueBox(State())

    /// What `judge` gives, when those that came before have left it room.
    func inTurn<Value>(_ bytes: Int, _ body: () async throws -> Value) async throws -> Value {
        guard bytes > Self.smallBytes else { return try await body() }
        await withCheckedContinuation { turn in
            let isItsTurn = state.withLock { state in
                guard state.waiting.isEmpty, state.take(bytes) else {
                    state.waiting.append((bytes, turn))
                    return false
                }
                return true
            }
            if isItsTurn { turn.resume() }
        }
        defer { giveBack(bytes) }
        return try await body()
    }

    private func giveBack(_ bytes: Int) {
        let next = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.taken -= bytes
            var next: [CheckedContinuation<Void, Never>] = []
            while let first = state.waiting.first, state.take(first.bytes) {
                next.append(first.turn)
                state.waiting.removeFirst()
            }
            return next
        }
        for turn in next { turn.resume() }
    }
}
#endif
