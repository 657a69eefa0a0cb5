import Foundation

/// A temporary folder that is removed with its last reference.
final class TemporaryFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("appreceipt-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    var path: String { url.path }

    func url(_ name: String) -> URL { url.appendingPathComponent(name) }

    /// Writes a file, and returns its path.
    func write(_ name: String, _ bytes: [UInt8]) throws -> String {
        try Data(bytes).write(to: url(name))
        return url(name).path
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}
