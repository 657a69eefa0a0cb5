import ReceiptViewerModel
import SwiftUI

/// The device that a receipt must be for, and a button to paste a receipt.
struct InputBar: View {
    @Bindable var viewer: ReceiptViewer

    var body: some View {
        HStack {
            TextField("Device", text: $viewer.device, prompt: Text("MAC address or UUID"))
                .disabled(viewer.requiresThisDevice)
            Toggle("This Mac", isOn: $viewer.requiresThisDevice)
            PasteButton(payloadType: DroppedItem.self) { items in _ = viewer.show(items) }
        }
        if let problem = viewer.deviceProblem {
            Label(problem, systemImage: "exclamationmark.triangle")
        }
    }
}
