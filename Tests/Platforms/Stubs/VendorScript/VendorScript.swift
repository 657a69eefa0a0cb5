public import Foundation
import UIKit
import WatchKit

/// Sets the identifier for vendor of the stand-ins.
///
/// It is a separate module because tests that import UIKit would need Swift Testing's overlay for it.
public enum VendorScript {
    @MainActor
    public static func answer(_ identifier: UUID?) {
        UIDevice.current.identifierForVendor = identifier
        WKInterfaceDevice.current().identifierForVendor = identifier
    }
}
