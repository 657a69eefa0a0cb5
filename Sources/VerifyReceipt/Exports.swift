// A responder is created with a `ReceiptVerifier`, and a response contains a `ReceiptError` and a verified receipt.
@_exported public import AppReceiptKit
