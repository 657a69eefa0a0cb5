// Verification throws a `ReceiptError`, and reports and expectations share their types with receipts.
@_exported public import AppReceiptKit
// `SignedClaims.members` is an `AppStoreJSON.Object`, so that claims this library doesn't know are available to
// clients. The other declarations of AppReceiptSupport are `package`.
@_exported public import AppReceiptSupport
