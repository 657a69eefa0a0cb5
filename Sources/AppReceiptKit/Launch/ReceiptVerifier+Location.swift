public import AppReceiptFoundation
public import AppReceiptParsing

extension ReceiptVerifier {
    /// Reads and verifies the receipt at a URL.
    ///
    /// - Parameters:
    ///   - url: A receipt in any form, or an `.app` bundle that contains one.
    ///   - expectations: The app, environments and devices that the receipt must be for.
    ///   - now: The current time, for receipts that expire.
    /// - Returns: The verified receipt.
    /// - Throws: `input-receipt-missing`, `input-unreadable`, or the first failure of the verification.
    public func verify(
        contentsOf url: URL, expecting expectations: Expectations, now: Date = Date()
    ) throws(ReceiptError) -> VerifiedReceipt {
        try verify(ReceiptFile.contents(of: url, limits: limits), expecting: expectations, now: now)
    }

    /// Reads and verifies the receipt at a location, such as ``ReceiptLocation/mainBundle`` for the running app.
    ///
    /// Doesn't request a missing receipt and doesn't determine the device. ``AppLaunchValidation`` does both.
    ///
    /// - Parameters:
    ///   - location: The location of the receipt.
    ///   - expectations: The app, environments and devices that the receipt must be for.
    ///   - now: The current time, for receipts that expire.
    /// - Returns: The verified receipt.
    /// - Throws: `input-receipt-missing`, `input-location-missing` if this process isn't an app, `input-unreadable`, or
    ///   the first failure of the verification.
    public func verify(
        contentsOf location: ReceiptLocation, expecting expectations: Expectations, now: Date = Date()
    ) throws(ReceiptError) -> VerifiedReceipt {
        try verify(location.contents(limits: limits), expecting: expectations, now: now)
    }
}
