#if (os(iOS) && !targetEnvironment(macCatalyst)) || os(tvOS) || os(visionOS) || SHAPE_IOS
import Foundation
import UIKit

/// The identifier for vendor of an iPhone, iPad, Apple TV or Vision Pro, and of their apps on a Mac.
struct VendorIdentifierLookup: DeviceLookup {
    func identifiers() -> [DeviceIdentifier] {
        let identifier = MainThread.run { UIDevice.current.identifierForVendor }
        return identifier.map { [DeviceIdentifier($0)] } ?? []
    }
}
#elseif os(watchOS) || SHAPE_WATCHOS
import Foundation
import WatchKit

/// The identifier for vendor of an Apple Watch.
struct VendorIdentifierLookup: DeviceLookup {
    func identifiers() -> [DeviceIdentifier] {
        let identifier = MainThread.run { WKInterfaceDevice.current().identifierForVendor }
        return identifier.map { [DeviceIdentifier($0)] } ?? []
    }
}
#endif

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
