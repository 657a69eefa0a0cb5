#if canImport(Darwin) || SHAPE_MACOS || SHAPE_CATALYST || SHAPE_IOS || SHAPE_WATCHOS
import Foundation
#endif

extension ReceiptLocation {
    /// The location of the running app's receipt. Systems without receipts, such as Linux, don't have one.
    public static var mainBundle: ReceiptLocation {
        #if canImport(Darwin) || SHAPE_MACOS || SHAPE_CATALYST || SHAPE_IOS || SHAPE_WATCHOS
        ReceiptLocation(of: Bundle.main.appStoreReceiptURL, in: Bundle.main.bundleURL)
        #else
        ReceiptLocation(nil)
        #endif
    }

    #if os(macOS) || targetEnvironment(macCatalyst) || SHAPE_MACOS || SHAPE_CATALYST
    /// Before there is a receipt, a Mac may not return a location. The receipt will be in the bundle.
    init(of url: URL?, in bundle: URL) { self = url.map { ReceiptLocation($0) } ?? ReceiptLocation(appBundle: bundle) }
    #elseif canImport(Darwin) || SHAPE_IOS || SHAPE_WATCHOS
    init(of url: URL?, in bundle: URL) { self.init(url) }
    #endif
}
