// A responder is created with a `ReceiptVerifier`, and a response contains a `ReceiptError` and a verified receipt.
@_exported public import AppReceiptKit
// `VerifyReceiptResponse.json` is a `JSONValue`. The other declarations of AppReceiptSupport are `package`.
@_exported public import AppReceiptSupport
