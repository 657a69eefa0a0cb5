/// How much a receipt may ask of its reader. Input is hostile until it is proven; beyond a limit it is refused.
///
/// The defaults are far above every genuine receipt: the largest one examined has 187 purchases in 79 KB, three
/// certificates of less than 1.7 KB each, and elements nested ten deep.
public struct ReceiptLimits: Sendable, Hashable {
    /// The bytes of the input as given, text or binary. Default: 24 MiB, enough for base64 of ``receiptBytes``.
    public var inputBytes: Int

    /// The bytes of the decoded container. Default: 16 MiB, about 40,000 purchases.
    public var receiptBytes: Int

    /// How deep elements of indefinite length, strings in pieces and skipped fields may be nested, counted from the
    /// element at which such a structure begins. Everything else has a fixed depth. Default: 32.
    public var depth: Int

    /// How many elements may be read one by one in each structure whose extent or order is not given by its lengths
    /// (an element of indefinite length, a string in pieces, a field that is skipped). The structures of a receipt are
    /// nested to a fixed depth, so that all of it is read a small number of times at most. Default: 1,000,000.
    public var nodes: Int

    /// The certificates in the container. Default and most: 6, as the rules of trust have it; a larger value counts
    /// as 6.
    public var certificates: Int

    /// The bytes of one certificate. Default: 4 KiB, enough for a key of 8,192 bits.
    public var certificateBytes: Int

    /// The attributes of the receipt and all its purchases together. Default: 1,200,000.
    public var attributes: Int

    /// The purchases. Default: 50,000.
    public var purchases: Int

    /// The defaults, to be changed one by one.
    public init() {
        inputBytes = 24 << 20
        receiptBytes = 16 << 20
        depth = 32
        nodes = 1_000_000
        certificates = 6
        certificateBytes = 4 << 10
        attributes = 1_200_000
        purchases = 50_000
    }

    static let maxCertificates = 6

    /// The defaults.
    public static let `default` = ReceiptLimits()
}
