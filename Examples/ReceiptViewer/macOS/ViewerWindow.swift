import Foundation
import ReceiptViewerModel
import SwiftUI

/// A window into which an app, a receipt or text is dropped.
struct ViewerWindow: View {
    @State private var viewer = ReceiptViewer(
        samples: Bundle.main.bundleURL.appending(path: "Contents/Resources/Samples"))

    var body: some View {
        NavigationSplitView {
            List {
                Section("Samples") {
                    ForEach(viewer.samples) { sample in
                        Button(sample.name) { viewer.open(sample) }
                    }
                }
            }
        } detail: {
            VStack(alignment: .leading) {
                InputBar(viewer: viewer)
                if let inspection = viewer.inspection {
                    InspectionView(inspection: inspection)
                } else {
                    ContentUnavailableView(
                        "Drop an app, a receipt or base64 here", systemImage: "arrow.down.doc",
                        description: viewer.problem.map { Text($0) })
                }
            }
            .padding()
        }
        .navigationTitle(viewer.title)
        // The type of the location selects the overload that macOS 14 has.
        .dropDestination(for: DroppedItem.self) { (items: [DroppedItem], _: CGPoint) in viewer.show(items) }
    }
}
