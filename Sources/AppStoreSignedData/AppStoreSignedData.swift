@_exported public import AppReceiptKit
