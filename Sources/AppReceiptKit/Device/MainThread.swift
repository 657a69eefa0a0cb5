#if os(iOS) || os(tvOS) || os(visionOS) || os(watchOS) || SHAPE_IOS || SHAPE_WATCHOS
import Dispatch
import Foundation

/// Asks something on the main thread, from a function that is not asynchronous.
enum MainThread {
    /// What `body` gives. On another thread than the main one this waits until the main one is free.
    static func run<Value: Sendable>(_ body: @MainActor () -> Value) -> Value {
        if Thread.isMainThread { return MainActor.assumeIsolated(body) }
        return DispatchQueue.main.sync { MainActor.assumeIsolated(body) }
    }
}
#endif
