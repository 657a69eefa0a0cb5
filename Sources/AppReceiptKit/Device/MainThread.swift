#if os(iOS) || os(tvOS) || os(visionOS) || os(watchOS) || SHAPE_IOS || SHAPE_WATCHOS
import Dispatch
import Foundation

/// Runs code on the main thread from a synchronous function.
enum MainThread {
    /// Marks the main queue: a program that runs it with `dispatchMain` has it on changing threads.
    private static let mark: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// Runs `body` on the main thread and returns its result. On other threads, waits until the main thread is free.
    static func run<Value: Sendable>(_ body: @MainActor () -> Value) -> Value {
        if Thread.isMainThread || DispatchQueue.getSpecific(key: mark) == true {
            return MainActor.assumeIsolated(body)
        }
        return DispatchQueue.main.sync { MainActor.assumeIsolated(body) }
    }
}
#endif
