import AppReceiptKit
package import AppReceiptSupport

extension JSONObject {
    /// The error for JSON that is sent instead of a token: `token-unsigned` or `notification-version-1`; nil for other JSON.
    package var tokenMistake: ReceiptError.Code? {
        if isVersion1Notification { return .notificationVersion1 }
        return isUnsignedData ? .tokenUnsigned : nil
    }

    /// Whether this is a server notification of version 1, which contains a receipt and isn't signed.
    package var isVersion1Notification: Bool {
        self["notification_type"]?.string != nil && self["signedPayload"] == nil
    }

    /// Whether the members are those of a token's payload, as in `jsonRepresentation` of StoreKit 2.
    private var isUnsignedData: Bool {
        self["signedPayload"] == nil && !SignedDataKind.kinds(matching: self).isEmpty
            && Self.payloadMembers.filter { self[$0] != nil }.count >= 2
    }

    /// Members that most payloads have. A single one may also be in JSON of an app or a server.
    private static let payloadMembers = [
        "transactionId", "originalTransactionId", "bundleId", "productId", "purchaseDate", "environment", "signedDate",
        "autoRenewProductId", "autoRenewStatus", "receiptType", "receiptCreationDate", "notificationType",
        "notificationUUID",
    ]
}
