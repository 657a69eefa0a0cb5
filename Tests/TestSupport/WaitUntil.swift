import Foundation

/// Waits until a condition is true, at most ten minutes: then the expectations that follow fail, instead of a test that
/// hangs.
public func waitUntil(
    isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
) async rethrows {
    let end = Date().addingTimeInterval(600)
    while try await !condition(), Date() < end { await Task.yield() }
}
