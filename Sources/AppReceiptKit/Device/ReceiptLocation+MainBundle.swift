#if canImport(Darwin) || SHAPE_MACOS || SHAPE_CATALYST || SHAPE_IOS || SHAPE_WATCHOS
import Foundation
#endif

extension ReceiptLocation {
    /// Where the system keeps the receipt of the app that runs. On systems that know none, such as Linux, there is no
    /// receipt.
    public static var mainBundle: ReceiptLocation {
        #if canImport(Darwin) || SHAPE_MACOS || SHAPE_CATALYST || SHAPE_IOS || SHAPE_WATCHOS
        ReceiptLocation(of: Bundle.main.appStoreReceiptURL, in: Bundle.main.bundleURL)
        #else
        ReceiptLocation(nil)
        #endif
    }

    #if os(macOS) || targetEnvironment(macCatalyst) || SHAPE_MACOS || SHAPE_CATALYST
    /// A Mac may name no place before there is a receipt; it belongs into the bundle all the same.
    init(of url: URL?, in bundle: URL) { self = url.map { ReceiptLocation($0) } ?? ReceiptLocation(appBundle: bundle) }
    #elseif canImport(Darwin) || SHAPE_IOS || SHAPE_WATCHOS
    init(of url: URL?, in bundle: URL) { self.init(url) }
    #endif
}
