#if canImport(Darwin) || SHAPE_APPLE
import Foundation
#endif

extension ReceiptLocation {
    /// The location of the running app's receipt.
    ///
    /// A process that isn't an app doesn't have one: on Linux, and on a Mac a command-line tool or a test runner.
    /// Reading it then throws `input-location-missing`.
    public static var mainBundle: ReceiptLocation {
        #if canImport(Darwin) || SHAPE_APPLE
        ReceiptLocation(of: Bundle.main.appStoreReceiptURL, in: Bundle.main.bundleURL)
        #else
        outsideApp
        #endif
    }

    #if os(macOS) || targetEnvironment(macCatalyst) || SHAPE_MACOS
    /// Before there is a receipt, a Mac may not return a location. The receipt will be in the bundle. For a process
    /// without a bundle, a Mac returns a location next to the executable, where there is never a receipt.
    init(of url: URL?, in bundle: URL) {
        guard !bundle.pathExtension.isEmpty else {
            self = .outsideApp
            return
        }
        self = url.map { ReceiptLocation($0) } ?? ReceiptLocation(appBundle: bundle)
    }
    #elseif canImport(Darwin) || SHAPE_APPLE
    init(of url: URL?, in bundle: URL) { self.init(url) }
    #endif
}
