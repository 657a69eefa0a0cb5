/// Limits for parsing a receipt. A receipt that exceeds a limit is rejected.
///
/// The defaults are far above every genuine receipt: the largest known one has 187 purchases in 79 KB, three
/// certificates of less than 1.7 KB each, and elements nested ten levels deep.
public struct ReceiptLimits: Sendable, Hashable {
    /// The maximum size of the input in bytes, text or binary. Default: 24 MiB, enough for base64 of
    /// ``maxReceiptBytes``.
    public var maxInputBytes: Int

    /// The maximum size of the decoded container in bytes. Default: 16 MiB, about 40,000 purchases.
    public var maxReceiptBytes: Int

    /// The maximum depth of elements of indefinite length, constructed strings and skipped fields, counted from the
    /// outermost element of such a structure. Default: 32.
    ///
    /// Everything else in a receipt has a fixed depth.
    public var maxDepth: Int

    /// The maximum number of elements in each structure that has to be scanned element by element: an element of
    /// indefinite length, a constructed string or a skipped field. Default: 1,000,000.
    ///
    /// The structures of a receipt are nested to a fixed depth, so each byte is scanned a small number of times at
    /// most.
    public var maxNodes: Int

    /// The maximum number of certificates in the container. Default: 6, which is also the largest effective value.
    public var maxCertificates: Int

    /// The maximum size of a certificate in bytes. Default: 4 KiB, enough for an 8,192-bit key.
    public var maxCertificateBytes: Int

    /// The maximum number of attributes of the receipt and all of its purchases together. Default: 1,200,000.
    public var maxAttributes: Int

    /// The maximum number of purchases. Default: 50,000.
    public var maxPurchases: Int

    /// Creates the default limits, which can be changed individually.
    public init() {
        maxInputBytes = 24 << 20
        maxReceiptBytes = 16 << 20
        maxDepth = 32
        maxNodes = 1_000_000
        maxCertificates = 6
        maxCertificateBytes = 4 << 10
        maxAttributes = 1_200_000
        maxPurchases = 50_000
    }

    /// The largest effective value of ``maxCertificates``.
    static let certificateCapacity = 6

    /// The default limits.
    public static let `default` = ReceiptLimits()
}
