#if os(macOS) || targetEnvironment(macCatalyst) || SHAPE_MACOS
import CoreFoundation
import IOKit

/// The I/O registry of macOS. Releases every object that IOKit returns.
struct IOKitRegistry: NetworkInterfaceRegistry {
    func interfaces(named name: String) -> [NetworkInterface] {
        // Port 0 is the default port; its named constants differ between releases.
        guard let matching = unsafe IOBSDNameMatching(0, 0, name) else { return [] }
        var iterator: io_iterator_t = 0
        guard unsafe IOServiceGetMatchingServices(0, matching, &iterator) == KERN_SUCCESS else { return [] }
        defer { _ = IOObjectRelease(iterator) }
        var interfaces: [NetworkInterface] = []
        while case let service = IOIteratorNext(iterator), service != 0 {
            defer { _ = IOObjectRelease(service) }
            interfaces.append(
                NetworkInterface(
                    isBuiltIn: flag(property("IOBuiltin", of: service)), address: nearestAddress(of: service),
                    parentAddress: parentAddress(of: service)))
        }
        return interfaces
    }

    /// Returns the address of the service, or of its nearest ancestor with an address.
    private func nearestAddress(of service: io_service_t) -> [UInt8]? {
        guard let key = text("IOMACAddress") else { return nil }
        let options = IOOptionBits(kIORegistryIterateRecursively | kIORegistryIterateParents)
        // Unlike a created property, this one is memory-managed.
        return bytes(unsafe IORegistryEntrySearchCFProperty(service, "IOService", key, kCFAllocatorDefault, options))
    }

    private func parentAddress(of service: io_service_t) -> [UInt8]? {
        var parent: io_registry_entry_t = 0
        guard unsafe IORegistryEntryGetParentEntry(service, "IOService", &parent) == KERN_SUCCESS else { return nil }
        defer { _ = IOObjectRelease(parent) }
        return bytes(property("IOMACAddress", of: parent))
    }

    private func property(_ name: String, of entry: io_registry_entry_t) -> CFTypeRef? {
        guard let key = text(name) else { return nil }
        return unsafe IORegistryEntryCreateCFProperty(entry, key, kCFAllocatorDefault, 0)?.takeRetainedValue()
    }

    private func text(_ text: String) -> CFString? {
        unsafe CFStringCreateWithCString(kCFAllocatorDefault, text, CFStringBuiltInEncodings.UTF8.rawValue)
    }

    // A property of another type than expected is treated as absent.

    private func flag(_ value: CFTypeRef?) -> Bool? {
        guard let value, CFGetTypeID(value) == CFBooleanGetTypeID() else { return nil }
        return CFBooleanGetValue(proven(value, as: CFBoolean.self))
    }

    private func bytes(_ value: CFTypeRef?) -> [UInt8]? {
        guard let value, CFGetTypeID(value) == CFDataGetTypeID() else { return nil }
        let data = proven(value, as: CFData.self)
        var bytes = [UInt8](repeating: 0, count: CFDataGetLength(data))
        unsafe CFDataGetBytes(data, CFRange(location: 0, length: bytes.count), &bytes)
        return bytes
    }

    /// Casts `value` to the type that its type identifier proves, because Swift's casts don't support these types.
    private func proven<Value: AnyObject>(_ value: CFTypeRef, as type: Value.Type) -> Value {
        unsafe Unmanaged<Value>.fromOpaque(Unmanaged.passUnretained(value).toOpaque()).takeUnretainedValue()
    }
}
#endif
