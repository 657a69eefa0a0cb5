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
