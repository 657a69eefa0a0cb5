// swift-format-ignore-file

import AppReceiptValidator

// The description of the receipt in ReceiptTests, verbatim: it compiles and creates an equal receipt.
let described =
Receipt(
    bundleIdentifier: "com.example.app",
    bundleIdData: "DA9jb20uZXhhbXBsZS5hcHA=",
    appVersion: "1 \"quoted\" \\ \u{a}",
    opaqueValue: "EBESExQVFhcYGRobHB0eHw==",
    sha1Hash: "OXPHUnhlIwkXNSlkjPwJRiddCM0=",
    originalAppVersion: nil,
    receiptCreationDate: "2024-07-02T15:04:05Z",
    expirationDate: "2024-07-02T15:04:05.250Z",
    inAppPurchaseReceipts: [
        InAppPurchaseReceipt(
            quantity: 1,
            productIdentifier: "com.example.monthly",
            transactionIdentifier: "2000",
            originalTransactionIdentifier: "1000",
            purchaseDate: "2024-07-02T15:04:05Z",
            originalPurchaseDate: "2024-07-02T15:04:05Z",
            subscriptionExpirationDate: "2024-08-01T15:04:05Z",
            cancellationDate: nil,
            webOrderLineItemId: 1125899906844624
        ),
        InAppPurchaseReceipt(
            quantity: 1,
            productIdentifier: "com.example.pro",
            transactionIdentifier: "3000",
            originalTransactionIdentifier: "3000",
            purchaseDate: "2024-07-02T15:04:05Z",
            originalPurchaseDate: "2024-07-02T15:04:05Z",
            subscriptionExpirationDate: nil,
            cancellationDate: nil,
            webOrderLineItemId: nil
        )
    ]
)
