#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Receipts in the file system: a file, or the receipt inside an app bundle.
public enum ReceiptFile {
    /// The places inside an app bundle at which receipts are found, most usual first.
    package static let placesInBundle = [
        "Contents/_MASReceipt/receipt", "StoreKit/receipt", "StoreKit/sandboxReceipt", "_MASReceipt/receipt",
    ]

    /// The bytes of the receipt at `path`, in whatever form they are there.
    ///
    /// - Parameters:
    ///   - path: a file, or an `.app` bundle that holds a receipt.
    ///   - limits: how large it may be.
    /// - Throws: `input-unreadable` if the path does not exist or may not be read, `input-receipt-missing` if a bundle
    ///   holds no receipt, `input-too-large`.
    public static func contents(at path: String, limits: ReceiptLimits = .default) throws(ReceiptError) -> [UInt8] {
        var file = path
        let manager = FileManager.default
        var isDirectory = false
        guard manager.fileExists(atPath: path, isDirectory: &isDirectory) else {
            throw ReceiptError(.inputUnreadable, "There is no file at the path that was given.")
        }
        if isDirectory {
            guard let place = placesInBundle.first(where: { manager.fileExists(atPath: path + "/" + $0) }) else {
                throw ReceiptError(
                    .inputReceiptMissing,
                    "There is no receipt in this folder; looked for \(placesInBundle.joined(separator: ", ")).")
            }
            file = path + "/" + place
        }
        let target = URL(fileURLWithPath: file).resolvingSymlinksInPath()
        let attributes = try? manager.attributesOfItem(atPath: target.path)
        guard attributes?[.type] as? FileAttributeType == .typeRegular else {
            throw ReceiptError(.inputUnreadable, "What stands at the path is no regular file.")
        }
        let tooLarge = ReceiptError(
            .inputTooLarge, "The file is larger than the limit of \(limits.inputBytes) bytes.")
        if let size = attributes?[.size] as? UInt64, size > UInt64(max(0, limits.inputBytes)) { throw tooLarge }
        guard let data = try? Data(contentsOf: target) else { throw ReceiptError(.inputUnreadable) }
        // The file may have grown since.
        guard data.count <= limits.inputBytes else { throw tooLarge }
        return Array(data)
    }

    /// Whether something is at `path`, or something that keeps others from seeing it.
    package static func mayExist(at path: String) -> Bool {
        do {
            _ = try FileManager.default.attributesOfItem(atPath: path)
            return true
        } catch let error as CocoaError {
            return error.code != .fileReadNoSuchFile && error.code != .fileNoSuchFile
        } catch {
            return true
        }
    }

    /// The bytes of the receipt at `url`, such as `Bundle.main.appStoreReceiptURL`, in whatever form they are there.
    ///
    /// - Throws: as for a path.
    public static func contents(at url: URL, limits: ReceiptLimits = .default) throws(ReceiptError) -> [UInt8] {
        try contents(at: url.path, limits: limits)
    }
}
