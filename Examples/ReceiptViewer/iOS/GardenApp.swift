import ReceiptViewerModel
import SwiftUI

@main
struct GardenApp: App {
    @State private var license = License.garden()
    @Environment(\.scenePhase) private var scenePhase

    var body: some Scene {
        WindowGroup {
            LicenseView(license: license)
                .task { await license.followTransactions() }
                .task(id: scenePhase) {
                    if scenePhase == .active { await license.update() }
                }
        }
    }
}
