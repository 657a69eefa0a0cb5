/// A network interface of a Mac, as in the I/O registry.
struct NetworkInterface: Hashable {
    /// Whether it is built in; nil if unknown.
    var isBuiltIn: Bool?
    /// The MAC address of the interface or of an ancestor.
    var address: [UInt8]?
    /// The MAC address of the interface's parent.
    var parentAddress: [UInt8]?
}
