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

    /// Apple's order first (en0 if built in, en1 if built in, en0 if not; Validating receipts on the device). Receipts of
    /// some Macs turned out to be made with another: further built-in interfaces, and the address that the procedure
    /// before 2020 found, which took en0 whatever it was. Trying more candidates weakens nothing: a receipt copied from
    /// another Mac matches none.
    func identifiers() -> [DeviceIdentifier] {
        let order: [(name: String, isBuiltIn: Bool)] = [
            ("en0", true), ("en1", true), ("en0", false), ("en2", true), ("en3", true), ("en4", true),
        ]
        return order.flatMap { addresses(of: $0.name, isBuiltIn: $0.isBuiltIn) } + legacyAddresses()
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
