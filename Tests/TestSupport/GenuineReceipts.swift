public import Foundation

/// Receipts that Apple or Xcode signed. They are somebody's purchase history and aren't part of this repository: the
/// tests run if a folder of them exists.
public enum GenuineReceipts {
    /// The folder, which need not exist.
    public static let folder: URL =
        ProcessInfo.processInfo.environment["APPRECEIPT_GENUINE_RECEIPTS"].map { URL(fileURLWithPath: $0) }
        ?? TestDirectories.package.deletingLastPathComponent().appendingPathComponent("shared/receipts")

    /// Whether the tests can run.
    public static var arePresent: Bool {
        FileManager.default.fileExists(
            atPath: folder.appendingPathComponent("mac-production-2017-sha1.receipt").path)
    }

    /// The reason to report if the tests can't run.
    public static let absence = "no genuine receipts: set APPRECEIPT_GENUINE_RECEIPTS to their folder"

    /// Returns the contents of a file.
    public static func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: folder.appendingPathComponent(name)))
    }
}
