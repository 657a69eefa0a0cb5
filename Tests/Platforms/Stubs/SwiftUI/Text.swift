public struct LocalizedStringKey: Sendable, ExpressibleByStringInterpolation {
    public init(stringLiteral value: String) {}
}

public struct Text: PrimitiveView, Sendable {
    public nonisolated init(_ key: LocalizedStringKey) {}

    @_disfavoredOverload
    public nonisolated init(_ content: some StringProtocol) {}
}

public struct Image: PrimitiveView, Sendable {
    public nonisolated init(systemName: String) {}
}

public struct Label<Title: View, Icon: View>: PrimitiveView {}

extension Label where Title == Text, Icon == Image {
    public nonisolated init(_ titleKey: LocalizedStringKey, systemImage name: String) {}

    @_disfavoredOverload
    public nonisolated init(_ title: some StringProtocol, systemImage name: String) {}
}

public struct LabeledContent<Label: View, Content: View>: PrimitiveView {
    public nonisolated init(@ViewBuilder content: () -> Content, @ViewBuilder label: () -> Label) {}
}

extension LabeledContent where Label == Text, Content == Text {
    public nonisolated init(_ titleKey: LocalizedStringKey, value: some StringProtocol) {}

    @_disfavoredOverload
    public nonisolated init(_ title: some StringProtocol, value: some StringProtocol) {}
}

public struct ContentUnavailableView<Label: View, Description: View>: PrimitiveView {}

extension ContentUnavailableView where Label == SwiftUI.Label<Text, Image>, Description == Text? {
    public nonisolated init(_ title: LocalizedStringKey, systemImage name: String, description: Text? = nil) {}
}
