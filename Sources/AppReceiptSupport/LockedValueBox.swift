#if SHAPE_APPLE
import UnfairLock
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A value that one thread at a time can access. The lock is held briefly, never across a suspension or I/O.
///
/// `Synchronization.Mutex` requires newer Apple platforms than this package, and on Linux the thread sanitizer doesn't
/// detect its locking.
@safe
package final class LockedValueBox<Value: Sendable>: @unchecked Sendable {
    #if canImport(Darwin) || SHAPE_APPLE
    private typealias Lock = os_unfair_lock
    #else
    private typealias Lock = pthread_mutex_t
    #endif

    private let lock: UnsafeMutablePointer<Lock>
    private var value: Value

    /// Creates a box that contains a value.
    package init(_ value: Value) {
        self.value = value
        unsafe lock = .allocate(capacity: 1)
        #if canImport(Darwin) || SHAPE_APPLE
        unsafe lock.initialize(to: os_unfair_lock())
        #else
        unsafe pthread_mutex_init(lock, nil)
        #endif
    }

    deinit {
        #if canImport(Darwin) || SHAPE_APPLE
        unsafe lock.deinitialize(count: 1)
        #else
        unsafe pthread_mutex_destroy(lock)
        #endif
        unsafe lock.deallocate()
    }

    /// Calls `body` with the value while the lock is locked.
    package func withLock<Result: Sendable>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        #if canImport(Darwin) || SHAPE_APPLE
        unsafe os_unfair_lock_lock(lock)
        defer { unsafe os_unfair_lock_unlock(lock) }
        #else
        unsafe pthread_mutex_lock(lock)
        defer { unsafe pthread_mutex_unlock(lock) }
        #endif
        return try body(&value)
    }
}
