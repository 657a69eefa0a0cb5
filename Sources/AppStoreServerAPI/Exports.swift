@_exported public import AppStoreSignedData
