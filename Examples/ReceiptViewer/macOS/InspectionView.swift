import Foundation
import ReceiptViewerModel
import SwiftUI

/// What the customer owns and why, then the checks, the purchases and the attributes.
struct InspectionView: View {
    let inspection: Inspection

    var body: some View {
        List {
            Section("Owned") {
                if inspection.products.isEmpty {
                    Text(inspection.verdict.isValid ? "No in-app purchases." : "Nothing is proven.")
                }
                ForEach(inspection.products, id: \.self) { ProductRow(product: $0) }
            }
            Section("\(inspection.kind): \(inspection.verdict.isValid ? "valid" : "invalid")") {
                Text(inspection.verdict.summary)
                if let remedy = inspection.verdict.remedy { Text(remedy) }
                ForEach(inspection.checks, id: \.check) { CheckRow(result: $0) }
            }
            if !inspection.purchases.isEmpty {
                Section("Purchases") {
                    ForEach(inspection.purchases, id: \.self) { PurchaseRow(purchase: $0) }
                }
            }
            Section("Attributes") {
                ForEach(inspection.attributes) { AttributeRow(attribute: $0) }
            }
        }
        .textSelection(.enabled)
    }
}

private struct ProductRow: View {
    let product: Entitlement

    var body: some View {
        VStack(alignment: .leading) {
            Label(product.productIdentifier, systemImage: product.isActive ? "checkmark.seal.fill" : "seal")
                .font(.headline)
            LabeledContent(product.state.rawValue, value: product.until.map { "until \($0.formatted(.iso8601))" } ?? "")
            Text(product.reason)
            if let nextStep = product.nextStep { Text(nextStep).foregroundStyle(.secondary) }
        }
    }
}

private struct CheckRow: View {
    let result: CheckResult

    private var symbol: String {
        switch result.outcome {
        case .passed: "checkmark.circle"
        case .failed: "xmark.circle"
        case .skipped: "minus.circle"
        }
    }

    var body: some View {
        LabeledContent {
            Text(result.message)
        } label: {
            Label(result.check.rawValue, systemImage: symbol)
        }
    }
}

private struct PurchaseRow: View {
    let purchase: InAppPurchase

    private var period: String {
        [purchase.purchaseDate, purchase.expirationDate].compactMap { $0?.formatted(.iso8601) }.joined(separator: " – ")
    }

    var body: some View {
        VStack(alignment: .leading) {
            LabeledContent(purchase.productIdentifier ?? "Without product identifier", value: period)
            Text("Transaction \(purchase.transactionIdentifier ?? "unknown")")
            if let date = purchase.cancellationDate { Text("Canceled \(date.formatted(.iso8601))") }
        }
    }
}

private struct AttributeRow: View {
    let attribute: Inspection.Attribute

    private var name: String {
        [attribute.type.map { String($0) }, attribute.name ?? "Undocumented"].compactMap { $0 }.joined(separator: " ")
    }

    var body: some View {
        LabeledContent(name, value: attribute.value)
    }
}
