package import AppReceiptParsing

extension AppReceipt {
    /// Returns the first of these devices that matches the receipt's device hash.
    ///
    /// - Throws: `device-identifier-missing` if the list is empty, `device-hash-missing`, `device-hash-inputs-missing`,
    ///   `device-hash-mismatch`.
    package func device(among devices: [DeviceIdentifier]) throws(ReceiptError) -> DeviceIdentifier {
        guard !devices.isEmpty else { throw ReceiptError(.deviceIdentifierMissing) }
        guard let deviceHash else { throw ReceiptError(.deviceHashMissing) }
        guard let opaqueValue, let bundleIdentifierBytes else { throw ReceiptError(.deviceHashInputsMissing) }
        for device in devices
        where device.hash(opaqueValue: opaqueValue, bundleIdentifierBytes: bundleIdentifierBytes)
            .isSameSecret(as: deviceHash)
        {
            return device
        }
        throw ReceiptError(.deviceHashMismatch)
    }
}

extension [UInt8] {
    /// Whether both are equal, compared in a time that depends only on the lengths.
    fileprivate func isSameSecret(as other: [UInt8]) -> Bool {
        guard count == other.count else { return false }
        var difference: UInt8 = 0
        for index in indices { difference |= self[index] ^ other[index] }
        return difference == 0
    }
}
