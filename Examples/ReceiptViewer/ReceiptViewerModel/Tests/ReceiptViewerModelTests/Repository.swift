import Foundation

/// The files that the tests read.
enum Repository {
    /// The folder of the example. Symbolic links are resolved, because another package compiles these tests through
    /// one.
    static let example = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The sample receipts.
    static let samples = example.appendingPathComponent("../../Samples").standardizedFileURL
}
