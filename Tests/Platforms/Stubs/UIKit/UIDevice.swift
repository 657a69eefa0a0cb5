public import Foundation

/// UIKit's UIDevice, with an answer that a test scripts.
@MainActor
open class UIDevice: NSObject {
    public class var current: UIDevice { shared }
    public var identifierForVendor: UUID?

    private static let shared = UIDevice()
}
