extension DeviceIdentifier {
    /// Creates an identifier from the six bytes of a MAC address, nil for other lengths.
    init?(address: [UInt8]) {
        guard address.count == 6 else { return nil }
        self.init(bytes: address)
    }
}
