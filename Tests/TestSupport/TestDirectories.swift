public import Foundation

/// Directories that tests use.
public enum TestDirectories {
    /// The root of the package.
    public static var package: URL {
        var url = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { url.deleteLastPathComponent() }
        return url
    }

    /// Calls `body` with an empty folder, and removes the folder afterwards.
    public static func withTemporaryFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder)
    }
}

extension URL {
    /// Writes a file at this URL, and creates the folders above it.
    public func write(_ bytes: [UInt8]) throws {
        try FileManager.default.createDirectory(at: deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: self)
    }
}
