public import AppReceiptParsing

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Where a receipt should be.
///
/// Three things that look alike are told apart when it is read: no receipt, a receipt that cannot be read, and a file
/// with nothing in it.
public struct ReceiptLocation: Sendable, Hashable {
    /// The places at which it is looked for, in order.
    public let candidates: [URL]

    /// The name under which the sandbox and TestFlight keep receipts on iOS and its relatives.
    private static let sandboxName = "sandboxReceipt"

    #if os(watchOS) || SHAPE_WATCHOS
    private static let isWatch = true
    #else
    private static let isWatch = false
    #endif

    /// A location that the system names, such as `Bundle.main.appStoreReceiptURL`.
    ///
    /// - Parameter url: nil where the system names none: there is no receipt then.
    public init(_ url: URL?) { self.init(url, isWatch: Self.isWatch) }

    /// watchOS before 7 names `sandboxReceipt` where the file is called `receipt`, so there both are looked for.
    init(_ url: URL?, isWatch: Bool) {
        var candidates = [url].compactMap { $0 }
        if isWatch, let url, url.lastPathComponent == Self.sandboxName {
            candidates.append(url.deletingLastPathComponent().appendingPathComponent("receipt"))
        }
        self.candidates = candidates
    }

    /// The places in an app bundle, `Contents/_MASReceipt/receipt` for the `.app` of a Mac.
    public init(appBundle: URL) {
        candidates = ReceiptFile.placesInBundle.map { place in
            place.split(separator: "/").reduce(appBundle) { $0.appendingPathComponent(String($1)) }
        }
    }

    /// Whether the name is that of sandbox and TestFlight receipts on iOS and its relatives. A hint that comes before any
    /// receipt, never a proof: whether a receipt is one from the sandbox it says itself, and on a Mac the name is always
    /// the same.
    public var suggestsSandbox: Bool {
        // Before watchOS 7 the name says nothing.
        guard #available(watchOS 7, *) else { return false }
        return candidates.first?.lastPathComponent == Self.sandboxName
    }

    /// The bytes of the receipt, in whatever form they are there.
    ///
    /// - Parameter limits: how large it may be.
    /// - Throws: `input-receipt-missing` if there is none at any place, `input-empty` if the file is empty,
    ///   `input-unreadable` if it is there but cannot be read, `input-too-large`.
    public func contents(limits: ReceiptLimits = .default) throws(ReceiptError) -> [UInt8] {
        guard !candidates.isEmpty else {
            throw ReceiptError(.inputReceiptMissing, "The system names no place for a receipt.")
        }
        for candidate in candidates where ReceiptFile.mayExist(at: candidate.path) {
            let bytes = try ReceiptFile.contents(at: candidate, limits: limits)
            guard !bytes.isEmpty else { throw ReceiptError(.inputEmpty, "The receipt file is empty.") }
            return bytes
        }
        throw ReceiptError(.inputReceiptMissing, "There is no file where the receipt should be.")
    }
}
