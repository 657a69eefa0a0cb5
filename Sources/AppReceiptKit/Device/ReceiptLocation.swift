public import AppReceiptFoundation
public import AppReceiptParsing

/// The expected location of a receipt.
///
/// Reading distinguishes a missing receipt, an unreadable receipt and an empty file.
public struct ReceiptLocation: Sendable, Hashable {
    /// The paths where the receipt may be, in the order in which they are tried.
    public let candidates: [URL]

    /// Whether the process isn't an app, so that the system has no receipt for it.
    let isOutsideApp: Bool

    /// The name of sandbox and TestFlight receipts on iOS, tvOS, watchOS and visionOS.
    private static let sandboxName = "sandboxReceipt"

    #if os(watchOS) || SHAPE_WATCHOS
    private static let isWatch = true
    #else
    private static let isWatch = false
    #endif

    /// Creates a location from a URL of the system, such as `Bundle.main.appStoreReceiptURL`.
    ///
    /// - Parameter url: The URL; nil if the system doesn't return one, which means that there isn't a receipt.
    public init(_ url: URL?) { self.init(url, isWatch: Self.isWatch) }

    /// Creates the location of a process that isn't an app.
    private init() {
        candidates = []
        isOutsideApp = true
    }

    /// The location for a process that isn't an app: on Linux, in a command-line tool or in a test runner.
    static let outsideApp = ReceiptLocation()

    /// watchOS before 7 returns `sandboxReceipt` although the file is named `receipt`, so both are tried there.
    init(_ url: URL?, isWatch: Bool) {
        var candidates = [url].compactMap { $0 }
        if isWatch, let url, url.lastPathComponent == Self.sandboxName {
            candidates.append(url.deletingLastPathComponent().appendingPathComponent("receipt"))
        }
        self.candidates = candidates
        isOutsideApp = false
    }

    /// Creates the locations in an app bundle, `Contents/_MASReceipt/receipt` for the `.app` of a Mac.
    public init(appBundle: URL) {
        candidates = ReceiptFile.pathsInBundle.map { path in
            path.split(separator: "/").reduce(appBundle) { $0.appendingPathComponent(String($1)) }
        }
        isOutsideApp = false
    }

    /// Whether the file name is that of sandbox and TestFlight receipts on iOS, tvOS, watchOS and visionOS.
    ///
    /// This is a hint before there is a receipt, not a proof: only the receipt contains its environment, and on a Mac
    /// the name is always the same.
    public var suggestsSandbox: Bool {
        // Before watchOS 7, the name is unreliable.
        guard #available(watchOS 7, *) else { return false }
        return candidates.first?.lastPathComponent == Self.sandboxName
    }

    /// Whether there is something at one of the ``candidates``.
    ///
    /// It proves nothing: anyone can create a file. Use it before you request a receipt or show a message, never to
    /// unlock.
    public var exists: Bool { candidates.contains { FileManager.default.fileExists(atPath: $0.path) } }

    /// Reads the bytes of the receipt, in any form.
    ///
    /// - Parameter limits: The maximum size.
    /// - Returns: The contents of the file.
    /// - Throws: `input-receipt-missing` if the receipt isn't at any of the paths, `input-location-missing` if this
    ///   process isn't an app, `input-empty` if the file is empty, `input-unreadable` if it exists but can't be read,
    ///   `input-too-large`.
    public func contents(limits: ReceiptLimits = .default) throws(ReceiptError) -> [UInt8] {
        guard !isOutsideApp else { throw ReceiptError(.inputLocationMissing) }
        guard !candidates.isEmpty else {
            throw ReceiptError(.inputReceiptMissing, "The system doesn't provide a location for receipts.")
        }
        for candidate in candidates where ReceiptFile.mayExist(at: candidate.path) {
            let bytes = try ReceiptFile.contents(of: candidate, limits: limits)
            guard !bytes.isEmpty else { throw ReceiptError(.inputEmpty, "The receipt file is empty.") }
            return bytes
        }
        throw ReceiptError(.inputReceiptMissing, "The receipt file doesn't exist.")
    }
}
