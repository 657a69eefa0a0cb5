/// A source of network interfaces.
protocol NetworkInterfaceRegistry {
    /// Returns the interfaces with a name such as `en0`, in the order of the registry. Usually there is at most one.
    func interfaces(named name: String) -> [NetworkInterface]
}
