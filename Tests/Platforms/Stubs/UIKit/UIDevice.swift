public import Foundation

/// A stand-in for UIKit's UIDevice. Tests set the identifier.
@MainActor
open class UIDevice: NSObject {
    public class var current: UIDevice { shared }
    public var identifierForVendor: UUID?

    private static let shared = UIDevice()
}
