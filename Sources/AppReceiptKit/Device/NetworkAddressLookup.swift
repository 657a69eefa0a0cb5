import AppReceiptParsing

/// Finds the MAC addresses that a Mac's receipts may be for.
struct NetworkAddressLookup<Registry: NetworkInterfaceRegistry>: DeviceLookup {
    let registry: Registry

    /// Returns the address of Apple's current procedure, then the addresses that receipts of some Macs are known to
    /// use: those of other built-in interfaces and of the procedure of 2017.
    ///
    /// A receipt copied from another Mac doesn't match, unless an external adapter named en0 was moved with it.
    func identifiers() -> [DeviceIdentifier] {
        primaryAddresses() + ["en1", "en2", "en3", "en4"].flatMap { addresses(of: $0, isBuiltIn: true) }
            + legacyAddresses()
    }

    /// Returns the addresses of Apple's current procedure: en0 if it is built in, otherwise en1 if it is built in,
    /// otherwise en0.
    ///
    /// Source: Apple, Validating receipts on the device.
    func primaryAddresses() -> [DeviceIdentifier] {
        for (name, isBuiltIn) in [("en0", true), ("en1", true), ("en0", false)] {
            let found = addresses(of: name, isBuiltIn: isBuiltIn)
            if !found.isEmpty { return found }
        }
        return []
    }

    /// Returns the addresses of the interfaces with a name. One with an unknown `isBuiltIn` is treated as neither
    /// built-in nor external.
    private func addresses(of name: String, isBuiltIn: Bool) -> [DeviceIdentifier] {
        registry.interfaces(named: name).filter { $0.isBuiltIn == isBuiltIn }
            .compactMap { $0.address.flatMap(DeviceIdentifier.init(address:)) }
    }

    /// Returns the address of en0's parent, as in Apple's Receipt Validation Programming Guide (2017).
    func legacyAddresses() -> [DeviceIdentifier] {
        registry.interfaces(named: "en0").compactMap { $0.parentAddress.flatMap(DeviceIdentifier.init(address:)) }
    }
}

/// A source of network interfaces.
protocol NetworkInterfaceRegistry {
    /// Returns the interfaces with a name such as `en0`, in the order of the registry. Usually there is at most one.
    func interfaces(named name: String) -> [NetworkInterface]
}

/// A network interface of a Mac, as in the I/O registry.
struct NetworkInterface: Hashable {
    /// Whether it is built in; nil if unknown.
    var isBuiltIn: Bool?
    /// The MAC address of the interface or of an ancestor.
    var address: [UInt8]?
    /// The MAC address of the interface's parent.
    var parentAddress: [UInt8]?
}
