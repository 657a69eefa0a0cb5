public import Foundation

/// A stand-in for WatchKit's WKInterfaceDevice. Tests set the identifier.
@MainActor
open class WKInterfaceDevice: NSObject {
    public class func current() -> WKInterfaceDevice { shared }
    public var identifierForVendor: UUID?

    private static let shared = WKInterfaceDevice()
}
