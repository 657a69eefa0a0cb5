import ReceiptViewerModel
import StoreKit
import SwiftUI

/// What the customer may use, and why: the receipt and StoreKit 2 side by side.
struct LicenseView: View {
    let license: License

    var body: some View {
        NavigationStack {
            List {
                Section {
                    Label(
                        license.hasPro ? "Pro is unlocked" : "Pro is locked",
                        systemImage: license.hasPro ? "lock.open" : "lock")
                    if let message = license.outcome.customerMessage { Text(message) }
                    if let action = license.outcome.customerAction { Text(action) }
                    Button("Refresh Receipt") {
                        Task { await license.refreshReceipt() }
                    }
                    Button("Restore Purchases") {
                        Task { await license.restorePurchases { try await AppStore.sync() } }
                    }
                }
                Section("Products") {
                    ForEach(license.comparisons) { ComparisonRow(comparison: $0) }
                }
                Section("Store") {
                    ForEach(LicenseConfiguration.proProducts, id: \.self) { ProductView(id: $0) }
                }
                if !license.problems.isEmpty {
                    Section("For the Developer") {
                        ForEach(license.problems, id: \.self) { Text($0) }
                    }
                }
            }
            .disabled(license.isBusy)
            .navigationTitle("Garden")
        }
    }
}

private struct ComparisonRow: View {
    let comparison: ProductComparison

    var body: some View {
        VStack(alignment: .leading) {
            Text(comparison.id)
                .font(.headline)
            LabeledContent("Receipt", value: state(comparison.receipt))
            LabeledContent("StoreKit 2", value: state(comparison.storeKit))
            LabeledContent("Together", value: state(comparison.together))
            if let reason = comparison.together?.reason { Text(reason) }
            if let nextStep = comparison.together?.nextStep { Text(nextStep).foregroundStyle(.secondary) }
        }
    }

    private func state(_ entitlement: Entitlement?) -> String { entitlement?.state.rawValue ?? "no evidence" }
}
