/// The limits for tokens. Data beyond a limit is rejected before it is parsed.
public struct SignedDataLimits: Sendable, Hashable {
    /// The maximum size of a token in bytes, including the tokens in a notification. Default: 512 KiB; a genuine
    /// notification has about 20 KiB.
    public var maxTokenBytes: Int

    /// The maximum size of a token's header in bytes. Default: 32 KiB; a genuine one has about 5 KiB.
    public var maxHeaderBytes: Int

    /// The maximum nesting depth of objects and arrays. Default: 16.
    public var maxDepth: Int

    /// Creates the default limits.
    public init() {
        maxTokenBytes = 512 << 10
        maxHeaderBytes = 32 << 10
        maxDepth = 16
    }

    /// The default limits.
    public static let `default` = SignedDataLimits()
}
