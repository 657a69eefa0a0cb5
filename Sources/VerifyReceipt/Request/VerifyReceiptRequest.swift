public import AppReceiptKit

/// A verifyReceipt request.
public struct VerifyReceiptRequest: Sendable, Hashable {
    /// The receipt in base64 (`receipt-data`).
    public var receiptData: String

    /// The shared secret (`password`).
    public var password: String?

    /// Whether to return only the newest transaction of each subscription (`exclude-old-transactions`).
    public var excludesOldTransactions: Bool

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - receiptData: The receipt in base64.
    ///   - password: The shared secret; nil for none.
    ///   - excludesOldTransactions: Whether to return only the newest transaction of each subscription.
    public init(receiptData: String, password: String? = nil, excludesOldTransactions: Bool = false) {
        self.receiptData = receiptData
        self.password = password
        self.excludesOldTransactions = excludesOldTransactions
    }

    /// Parses the body of a request: a JSON object in UTF-8 without duplicate members.
    ///
    /// Unknown members are ignored, and null is equivalent to absent. `exclude-old-transactions` is true or false;
    /// "true", "false", 1 and 0 are accepted too, because clients without Booleans send them.
    ///
    /// - Parameters:
    ///   - body: The body of the request.
    ///   - limits: The limits; `maxInputBytes` is the maximum size of the body.
    /// - Throws: `request-too-large`, `request-malformed`, `request-member-duplicate` or `request-member-mistyped`
    ///   (status 21000); `receipt-data-missing` or `receipt-data-mistyped` (status 21002).
    public init(parsing body: some Collection<UInt8>, limits: ReceiptLimits = .default) throws(ReceiptError) {
        let members = try RequestMembers(parsing: body, limits: limits)
        receiptData = String(decoding: try members.receiptData.get(), as: UTF8.self)
        password = members.password
        excludesOldTransactions = members.excludesOldTransactions
    }
}

extension VerifyReceiptRequest: CustomStringConvertible {
    /// A description without the receipt and the secret.
    public var description: String {
        "VerifyReceiptRequest(\(receiptData.utf8.count) characters, \(password == nil ? "no" : "a") password)"
    }
}
