#if os(iOS) || os(tvOS) || os(visionOS) || os(watchOS) || SHAPE_IOS || SHAPE_WATCHOS
import Dispatch
import Foundation

/// Asks something on the main thread, from a function that is not asynchronous.
enum MainThread {
    /// Marks the main queue: a program that runs it with `dispatchMain` has it on changing threads.
    private static let mark: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// What `body` gives. On another thread than the main one this waits until the main one is free.
    static func run<Value: Sendable>(_ body: @MainActor () -> Value) -> Value {
        if Thread.isMainThread || DispatchQueue.getSpecific(key: mark) == true {
            return MainActor.assumeIsolated(body)
        }
        return DispatchQueue.main.sync { MainActor.assumeIsolated(body) }
    }
}
#endif
