#if !canImport(Darwin)
import Synchronization
#else
import Darwin
#endif

/// A value that one thread at a time may look at or change. Held for a moment, never across anything that waits.
///
/// `Synchronization.Mutex` needs newer systems than this package does on Apple's platforms.
package final class Locked<Value: Sendable>: @unchecked Sendable {
    #if !canImport(Darwin)
    private let mutex: Mutex<Value>

    package init(_ value: Value) { mutex = Mutex(value) }

    package func withLock<Result: Sendable>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try mutex.withLock { value in try body(&value) }
    }
    #else
    private let lock: UnsafeMutablePointer<os_unfair_lock>
    private var value: Value

    package init(_ value: Value) {
        self.value = value
        unsafe lock = .allocate(capacity: 1)
        unsafe lock.initialize(to: os_unfair_lock())
    }

    deinit {
        unsafe lock.deinitialize(count: 1)
        unsafe lock.deallocate()
    }

    package func withLock<Result: Sendable>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        unsafe os_unfair_lock_lock(lock)
        defer { unsafe os_unfair_lock_unlock(lock) }
        return try body(&value)
    }
    #endif
}
