public import Foundation

/// Tokens that Apple's sandbox signed. They aren't part of this repository: the tests run if a folder of them exists.
public enum GenuineSignedData {
    /// The folder, which need not exist.
    public static let folder: URL =
        ProcessInfo.processInfo.environment["APPRECEIPT_GENUINE_SIGNED_DATA"].map { URL(fileURLWithPath: $0) }
        ?? TestDirectories.package.deletingLastPathComponent().appendingPathComponent("shared/signed-data")

    /// Whether the tests can run.
    public static var arePresent: Bool {
        FileManager.default.fileExists(atPath: folder.appendingPathComponent("transaction-2025-a2a567.jws").path)
    }

    /// The reason to report if the tests can't run.
    public static let absence = "no genuine signed data: set APPRECEIPT_GENUINE_SIGNED_DATA to its folder"

    /// Returns the token in a file.
    public static func token(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: folder.appendingPathComponent("\(name).jws")), as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
