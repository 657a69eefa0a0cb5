/// The words for one kind of data in the messages of checks that receipts and signed data have in common.
package struct CheckWording: Sendable {
    /// "receipt" or "data".
    let noun: String
    /// The indefinite article of the noun and a space, or nothing.
    let article: String
    /// The event at whose date the certificates are validated, such as "the receipt was created".
    let signing: String

    package static let receipt = CheckWording(noun: "receipt", article: "a ", signing: "the receipt was created")
    package static let transactionReceipt = CheckWording(
        noun: "receipt", article: "a ", signing: "the purchase was made")
    package static let signedData = CheckWording(noun: "data", article: "", signing: "the token was signed")
}
