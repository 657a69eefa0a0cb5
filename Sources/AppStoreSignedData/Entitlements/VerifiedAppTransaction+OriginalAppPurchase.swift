public import AppReceiptKit

extension VerifiedData where Claims == AppTransactionClaims {
    /// The first purchase or download of the app itself.
    public var originalAppPurchase: OriginalAppPurchase {
        let versionKey: OriginalAppPurchase.VersionKey? =
            switch claims.originalPlatform {
            case .macOS?: .marketing
            case .iOS?, .tvOS?, .visionOS?: .build
            // A wrong guess about an unknown platform could grant access to paid features.
            default: nil
            }
        return OriginalAppPurchase(
            version: claims.originalAppVersion, versionKey: versionKey, date: claims.originalPurchaseDate,
            preorderDate: claims.preorderDate, revocationDate: claims.revocationDate)
    }
}
