public import Foundation

/// WatchKit's WKInterfaceDevice, with an answer that a test scripts.
@MainActor
open class WKInterfaceDevice: NSObject {
    public class func current() -> WKInterfaceDevice { shared }
    public var identifierForVendor: UUID?

    private static let shared = WKInterfaceDevice()
}
