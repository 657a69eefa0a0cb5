import Foundation

/// Places in the file system that tests look at.
enum Places {
    /// The root of the package.
    static var package: URL {
        var url = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { url.deleteLastPathComponent() }
        return url
    }

    /// The folder of genuine receipts, which are not part of the package; nil where it is absent.
    static var genuineReceipts: URL? {
        let named = ProcessInfo.processInfo.environment["APPRECEIPT_GENUINE_RECEIPTS"]
        let folder =
            named.map { URL(fileURLWithPath: $0) }
            ?? package.deletingLastPathComponent().appendingPathComponent("shared/receipts")
        return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
    }

    /// Gives `body` an empty folder and removes it afterwards.
    static func withTemporaryFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder)
    }
}

extension URL {
    /// Writes a file here, making the folders above it.
    func write(_ bytes: [UInt8]) throws {
        try FileManager.default.createDirectory(at: deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: self)
    }
}
