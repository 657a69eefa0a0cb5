import SwiftUI

@main
struct ReceiptViewerApp: App {
    var body: some Scene {
        WindowGroup {
            ViewerWindow()
        }
    }
}
