import AppReceiptParsing

/// A network interface of a Mac as the system's registry describes it.
struct NetworkInterface: Hashable {
    /// Whether it is built in; nil if the registry does not say.
    var isBuiltIn: Bool?
    /// The MAC address, of the interface or of what it belongs to.
    var address: [UInt8]?
    /// The MAC address of what it belongs to directly.
    var parentAddress: [UInt8]?
}

/// What is known about network interfaces.
protocol NetworkInterfaceRegistry {
    /// The interfaces of this name (`en0`), in the order of the registry; usually one or none.
    func interfaces(named name: String) -> [NetworkInterface]
}

/// The MAC addresses that a Mac's receipts may have been made with.
struct NetworkAddressLookup<Registry: NetworkInterfaceRegistry>: DeviceLookup {
    let registry: Registry

    /// What Apple's procedure of today finds, then what receipts of some Macs turned out to be made with: further
    /// built-in interfaces, and what the procedure of 2017 finds. A receipt copied from another Mac matches none of them,
    /// unless an external adapter that is called en0 came with it.
    func identifiers() -> [DeviceIdentifier] {
        primaryAddresses() + ["en1", "en2", "en3", "en4"].flatMap { addresses(of: $0, isBuiltIn: true) }
            + legacyAddresses()
    }

    /// What Apple's procedure finds: en0 if it is built in, else en1 if it is, else en0 (Validating receipts on the
    /// device).
    func primaryAddresses() -> [DeviceIdentifier] {
        for (name, isBuiltIn) in [("en0", true), ("en1", true), ("en0", false)] {
            let found = addresses(of: name, isBuiltIn: isBuiltIn)
            if !found.isEmpty { return found }
        }
        return []
    }

    /// An interface that does not say whether it is built in is neither.
    private func addresses(of name: String, isBuiltIn: Bool) -> [DeviceIdentifier] {
        registry.interfaces(named: name).filter { $0.isBuiltIn == isBuiltIn }
            .compactMap { $0.address.flatMap(DeviceIdentifier.init(address:)) }
    }

    /// What the procedure of Apple's Receipt Validation Programming Guide (2017) finds: the address of en0's parent.
    func legacyAddresses() -> [DeviceIdentifier] {
        registry.interfaces(named: "en0").compactMap { $0.parentAddress.flatMap(DeviceIdentifier.init(address:)) }
    }
}

extension DeviceIdentifier {
    /// The six octets of a MAC address; nil for anything else.
    init?(address: [UInt8]) {
        guard address.count == 6 else { return nil }
        self.init(bytes: address)
    }
}
