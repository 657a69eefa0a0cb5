// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CoreFoundation

// The declarations of IOKit that the library uses, as Swift imports them on a Mac. Tests set the contents of the
// registry.

public typealias mach_port_t = UInt32
public typealias io_object_t = mach_port_t
public typealias io_iterator_t = io_object_t
public typealias io_service_t = io_object_t
public typealias io_registry_entry_t = io_object_t
public typealias kern_return_t = Int32
public typealias IOOptionBits = UInt32

public var KERN_SUCCESS: Int32 { 0 }
public var kIORegistryIterateRecursively: Int { 1 }
public var kIORegistryIterateParents: Int { 2 }

public func IOBSDNameMatching(
    _ mainPort: mach_port_t, _ options: UInt32, _ bsdName: UnsafePointer<CChar>!
) -> CFMutableDictionary! {
    RegistryScript.shared.matching(String(cString: bsdName))
}

public func IOServiceGetMatchingServices(
    _ mainPort: mach_port_t, _ matching: CFDictionary!, _ existing: UnsafeMutablePointer<io_iterator_t>!
) -> kern_return_t {
    guard let iterator = RegistryScript.shared.services(matching) else { return -536_870_206 }
    existing.pointee = iterator
    return KERN_SUCCESS
}

public func IOIteratorNext(_ iterator: io_iterator_t) -> io_object_t { RegistryScript.shared.next(iterator) }

@discardableResult
public func IOObjectRelease(_ object: io_object_t) -> kern_return_t { RegistryScript.shared.release(object) }

public func IORegistryEntryCreateCFProperty(
    _ entry: io_registry_entry_t, _ key: CFString!, _ allocator: CFAllocator!, _ options: IOOptionBits
) -> Unmanaged<CFTypeRef>! {
    RegistryScript.shared.property(text(key), of: entry).map { Unmanaged.passRetained($0) }
}

public func IORegistryEntrySearchCFProperty(
    _ entry: io_registry_entry_t, _ plane: UnsafePointer<CChar>!, _ key: CFString!, _ allocator: CFAllocator!,
    _ options: IOOptionBits
) -> CFTypeRef! {
    guard String(cString: plane) == "IOService", options == 3 else { return nil }
    return RegistryScript.shared.search(text(key), from: entry)
}

public func IORegistryEntryGetParentEntry(
    _ entry: io_registry_entry_t, _ plane: UnsafePointer<CChar>!, _ parent: UnsafeMutablePointer<io_registry_entry_t>!
) -> kern_return_t {
    guard String(cString: plane) == "IOService", let above = RegistryScript.shared.parent(of: entry) else {
        return -536_870_206
    }
    parent.pointee = above
    return KERN_SUCCESS
}

private func text(_ string: CFString) -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard CFStringGetCString(string, &buffer, buffer.count, CFStringBuiltInEncodings.UTF8.rawValue) else { return "" }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
