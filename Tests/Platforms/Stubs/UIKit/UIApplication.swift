public import Foundation

/// A stand-in for UIKit's UIResponder.
@MainActor
open class UIResponder: NSObject {}

/// A stand-in for UIKit's UIApplication. No application runs.
open class UIApplication: UIResponder {
    public struct LaunchOptionsKey: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
    }
}

/// A stand-in for UIKit's UIApplicationDelegate, whose methods are all optional.
@MainActor
public protocol UIApplicationDelegate: NSObjectProtocol {}
