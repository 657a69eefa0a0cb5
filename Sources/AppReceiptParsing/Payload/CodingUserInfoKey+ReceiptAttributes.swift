extension CodingUserInfoKey {
    /// Whether to omit the raw attributes, which are most of the JSON. Set it to true in an encoder's `userInfo`.
    ///
    /// The JSON can still be decoded, with empty ``AppReceipt/attributes``.
    public static let omitsReceiptAttributes = CodingUserInfoKey(unchecked: "AppReceiptParsing.omitsReceiptAttributes")

    private init(unchecked name: String) {
        // The initializer is failable but accepts every string.
        guard let key = CodingUserInfoKey(rawValue: name) else { preconditionFailure("Invalid key name") }
        self = key
    }
}
