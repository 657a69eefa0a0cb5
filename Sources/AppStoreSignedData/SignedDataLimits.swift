/// The limits for tokens. Data beyond a limit is rejected before it is read.
public struct SignedDataLimits: Sendable, Hashable {
    /// The bytes of a token, those in a notification included. Default: 512 KiB; a genuine notification has about 20 KiB.
    public var tokenBytes: Int

    /// The bytes of a token's header. Default: 32 KiB; a genuine one has about 5 KiB.
    public var headerBytes: Int

    /// How deep objects and arrays may be nested. Default: 16.
    public var depth: Int

    /// The defaults, to be changed one by one.
    public init() {
        tokenBytes = 512 << 10
        headerBytes = 32 << 10
        depth = 16
    }

    /// The defaults.
    public static let `default` = SignedDataLimits()
}
