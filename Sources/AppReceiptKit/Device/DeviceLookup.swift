import AppReceiptParsing

/// A source of the identifiers of the current device. Each platform has its own implementation.
protocol DeviceLookup {
    /// Returns the identifiers, the most likely first; empty if the system doesn't provide one.
    func identifiers() throws(ReceiptError) -> [DeviceIdentifier]
}
