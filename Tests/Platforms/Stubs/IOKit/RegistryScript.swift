import CoreFoundation
import Foundation

/// A registry of network interfaces that counts the objects it returns and those that are released.
public final class RegistryScript: @unchecked Sendable {
    public static let shared = RegistryScript()

    /// The value of a property, of the expected or another type.
    public enum Value: Sendable {
        case flag(Bool)
        case data([UInt8])
        case text(String)
        case number(Int32)

        var object: CFTypeRef? {
            switch self {
            case .flag(let flag): return flag ? kCFBooleanTrue : kCFBooleanFalse
            case .data(let bytes): return CFDataCreate(kCFAllocatorDefault, bytes, bytes.count)
            case .text(let text):
                return CFStringCreateWithCString(
                    kCFAllocatorDefault, text, CFStringBuiltInEncodings.UTF8.rawValue)
            case .number(var number): return CFNumberCreate(kCFAllocatorDefault, .sInt32Type, &number)
            }
        }
    }

    /// An interface and its parent, the controller, which usually has the address.
    public struct Interface: Sendable {
        public var name: String
        public var properties: [String: Value]
        public var parent: [String: Value]?

        public init(_ name: String, _ properties: [String: Value], parent: [String: Value]?) {
            self.name = name
            self.properties = properties
            self.parent = parent
        }

        /// Creates an interface as in real registries, with the flag at the interface and the address at the
        /// controller.
        public init(_ name: String, isBuiltIn: Bool?, address: [UInt8]) {
            self.init(
                name, isBuiltIn.map { ["IOBuiltin": .flag($0)] } ?? [:], parent: ["IOMACAddress": .data(address)])
        }
    }

    private enum Object {
        case iterator([io_object_t])
        case service(Interface)
        case parent([String: Value])
    }

    private let lock = NSRecursiveLock()
    private var interfaces: [Interface] = []
    private var matchingFails = false
    private var lookupFails = false
    private var objects: [io_object_t: Object] = [:]
    private var last: io_object_t = 0
    private var invalidUseCount = 0
    private var name = ""

    /// Sets the interfaces of the Mac, and resets the counts.
    public func prepare(_ interfaces: [Interface], matchingFails: Bool = false, lookupFails: Bool = false) {
        lock.withLock {
            self.interfaces = interfaces
            self.matchingFails = matchingFails
            self.lookupFails = lookupFails
            objects = [:]
            invalidUseCount = 0
            last = 0
        }
    }

    /// The number of objects that were returned.
    public var returnedObjects: Int { lock.withLock { Int(last) } }
    /// The number of objects that weren't released.
    public var unreleasedObjects: Int { lock.withLock { objects.count } }
    /// The number of uses and releases of objects that were already released.
    public var invalidUses: Int { lock.withLock { invalidUseCount } }

    private func retain(_ object: Object) -> io_object_t {
        last += 1
        objects[last] = object
        return last
    }

    func matching(_ name: String) -> CFMutableDictionary? {
        lock.withLock {
            guard !matchingFails else { return nil }
            self.name = name
            return CFDictionaryCreateMutable(kCFAllocatorDefault, 0, nil, nil)
        }
    }

    func services(_ matching: CFDictionary?) -> io_iterator_t? {
        lock.withLock {
            guard matching != nil, !lookupFails else { return nil }
            let services = interfaces.filter { $0.name == name }.map { retain(.service($0)) }
            return retain(.iterator(services))
        }
    }

    func next(_ iterator: io_iterator_t) -> io_object_t {
        lock.withLock {
            guard case .iterator(var services) = objects[iterator] else {
                invalidUseCount += 1
                return 0
            }
            guard !services.isEmpty else { return 0 }
            let service = services.removeFirst()
            objects[iterator] = .iterator(services)
            return service
        }
    }

    func release(_ object: io_object_t) -> kern_return_t {
        lock.withLock {
            guard objects.removeValue(forKey: object) != nil else {
                invalidUseCount += 1
                return -1
            }
            return KERN_SUCCESS
        }
    }

    func property(_ key: String, of entry: io_registry_entry_t) -> CFTypeRef? {
        lock.withLock {
            switch objects[entry] {
            case .service(let interface): interface.properties[key]?.object
            case .parent(let properties): properties[key]?.object
            default: nil
            }
        }
    }

    func search(_ key: String, from entry: io_registry_entry_t) -> CFTypeRef? {
        lock.withLock {
            guard case .service(let interface) = objects[entry] else { return nil }
            return interface.properties[key]?.object ?? interface.parent?[key]?.object
        }
    }

    func parent(of entry: io_registry_entry_t) -> io_registry_entry_t? {
        lock.withLock {
            guard case .service(let interface) = objects[entry], let parent = interface.parent else { return nil }
            return retain(.parent(parent))
        }
    }
}
