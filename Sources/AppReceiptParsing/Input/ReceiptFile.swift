public import AppReceiptFoundation

/// Reads receipts from files and app bundles.
public enum ReceiptFile {
    /// The paths of receipts inside an app bundle, most common first.
    package static let pathsInBundle = [
        "Contents/_MASReceipt/receipt", "StoreKit/receipt", "StoreKit/sandboxReceipt", "_MASReceipt/receipt",
    ]

    /// Reads the bytes of the receipt at `path`, without decoding them.
    ///
    /// - Parameters:
    ///   - path: A file, or an `.app` bundle that contains a receipt.
    ///   - limits: The limits for parsing, of which ``ReceiptLimits/maxInputBytes`` applies.
    /// - Returns: The bytes of the file.
    /// - Throws: `input-unreadable` if the file doesn't exist or can't be read, `input-receipt-missing` if a bundle
    ///   doesn't contain a receipt, `input-too-large` if the file exceeds the limit.
    public static func contents(atPath path: String, limits: ReceiptLimits = .default) throws(ReceiptError) -> [UInt8] {
        var file = path
        let manager = FileManager.default
        var isDirectory = false
        guard manager.fileExists(atPath: path, isDirectory: &isDirectory) else {
            throw ReceiptError(.inputUnreadable, "There is no file at the given path.")
        }
        if isDirectory {
            guard let place = pathsInBundle.first(where: { manager.fileExists(atPath: path + "/" + $0) }) else {
                throw ReceiptError(
                    .inputReceiptMissing,
                    "The folder doesn't contain a receipt. Expected one of \(pathsInBundle.joined(separator: ", ")).")
            }
            file = path + "/" + place
        }
        let target = URL(fileURLWithPath: file).resolvingSymlinksInPath()
        let attributes = try? manager.attributesOfItem(atPath: target.path)
        guard attributes?[.type] as? FileAttributeType == .typeRegular else {
            throw ReceiptError(.inputUnreadable, "The path isn't a regular file.")
        }
        let tooLarge = ReceiptError(
            .inputTooLarge, "The file is larger than the limit of \(limits.maxInputBytes) bytes.")
        if let size = attributes?[.size] as? UInt64, size > UInt64(max(0, limits.maxInputBytes)) { throw tooLarge }
        guard let data = try? Data(contentsOf: target) else { throw ReceiptError(.inputUnreadable) }
        // The file may have grown since its size was checked.
        guard data.count <= limits.maxInputBytes else { throw tooLarge }
        return Array(data)
    }

    /// Whether a file exists at `path`, or its existence can't be determined, for example because a permission is
    /// missing.
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

    /// Reads the bytes of the receipt at `url`, such as `Bundle.main.appStoreReceiptURL`, without decoding them.
    ///
    /// - Parameters:
    ///   - url: A file URL.
    ///   - limits: The limits for parsing, of which ``ReceiptLimits/maxInputBytes`` applies.
    /// - Returns: The bytes of the file.
    /// - Throws: The same errors as ``contents(atPath:limits:)``.
    public static func contents(of url: URL, limits: ReceiptLimits = .default) throws(ReceiptError) -> [UInt8] {
        try contents(atPath: url.path, limits: limits)
    }
}
