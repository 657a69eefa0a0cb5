// The views show values of the library, so they need its modules.
@_exported public import AppReceiptKit
@_exported public import AppStoreSignedData
