#if !canImport(Darwin)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
#else
import Darwin
#endif

/// A value that one thread at a time may look at or change. Held for a moment, never across anything that waits.
///
/// `Synchronization.Mutex` needs newer systems than this package does on Apple's platforms, and on Linux the thread
/// sanitizer does not see that it locks.
@safe
package final class LockedValueBox<Value: Sendable>: @unchecked Sendable {
    #if !canImport(Darwin)
    private typealias Lock = pthread_mutex_t
    #else
    private typealias Lock = os_unfair_lock
    #endif

    private let lock: UnsafeMutablePointer<Lock>
    private var value: Value

    package init(_ value: Value) {
        self.value = value
        unsafe lock = .allocate(capacity: 1)
        #if !canImport(Darwin)
        unsafe pthread_mutex_init(lock, nil)
        #else
        unsafe lock.initialize(to: os_unfair_lock())
        #endif
    }

    deinit {
        #if !canImport(Darwin)
        unsafe pthread_mutex_destroy(lock)
        #else
        unsafe lock.deinitialize(count: 1)
        #endif
        unsafe lock.deallocate()
    }

    package func withLock<Result: Sendable>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        #if !canImport(Darwin)
        unsafe pthread_mutex_lock(lock)
        defer { unsafe pthread_mutex_unlock(lock) }
        #else
        unsafe os_unfair_lock_lock(lock)
        defer { unsafe os_unfair_lock_unlock(lock) }
        #endif
        return try body(&value)
    }
}
