public import Foundation
import UIKit
import WatchKit

/// What the device says of its identifier for vendor. A module of its own, because tests that import UIKit themselves
/// would need Swift Testing's overlay for it.
public enum VendorScript {
    @MainActor
    public static func answer(_ identifier: UUID?) {
        UIDevice.current.identifierForVendor = identifier
        WKInterfaceDevice.current().identifierForVendor = identifier
    }
}
