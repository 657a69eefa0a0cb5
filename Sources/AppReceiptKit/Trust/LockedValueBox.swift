#if !canImport(Darwin)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
#else
import Darwin
#endif

/// A value that one thread at a time can access. The lock is held briefly, never across a suspension or I/O.
///
/// `Synchronization.Mutex` requires newer Apple platforms than this package, and on Linux the thread sanitizer doesn't detect its locking.
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
