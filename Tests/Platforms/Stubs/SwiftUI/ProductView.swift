/// A stand-in for the view of StoreKit that shows a product with a button to buy it. In the SDK, it is available to
/// files that import both StoreKit and SwiftUI.
public struct ProductView<Icon: View, PlaceholderIcon: View>: PrimitiveView {}

extension ProductView where Icon == EmptyView, PlaceholderIcon == EmptyView {
    public nonisolated init(id productID: String) {}
}
