import AppReceiptKit
import Foundation

extension ReceiptLocation {
    /// The receipt of the Mac app that contains an extension.
    ///
    /// - Parameter bundle: The extension, such as `Garden.app/Contents/PlugIns/Widget.appex`.
    static func ofApp(containing bundle: URL = Bundle.main.bundleURL) -> ReceiptLocation {
        let contents = bundle.deletingLastPathComponent().deletingLastPathComponent()
        return ReceiptLocation(appBundle: contents.deletingLastPathComponent())
    }
}
