// The declarations of SwiftUI that the example's views use, so that they can be type-checked. Nothing is ever shown: a
// body that is part of a stand-in traps.

@MainActor
@preconcurrency
public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

extension Never: View {}

/// A stand-in for a view without a body.
public protocol PrimitiveView: View where Body == Never {}

extension PrimitiveView {
    public var body: Never { fatalError("Stand-ins for SwiftUI aren't shown.") }
}

extension View where Body == Never {
    public var body: Never { fatalError("Stand-ins for SwiftUI aren't shown.") }
}

extension Optional: View where Wrapped: View {
    public typealias Body = Never
}

extension Optional: PrimitiveView where Wrapped: View {}

public struct EmptyView: PrimitiveView {
    public nonisolated init() {}
}

public struct TupleView<Content>: PrimitiveView {
    nonisolated init() {}
}

/// A stand-in for what a view's modifier or a branch returns.
public struct ModifiedView: PrimitiveView {
    nonisolated init() {}
}

@resultBuilder
public enum ViewBuilder {
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }

    public static func buildBlock() -> EmptyView { EmptyView() }

    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }

    @_disfavoredOverload
    public static func buildBlock<each Content: View>(
        _ content: repeat each Content
    ) -> TupleView<(repeat each Content)> { TupleView() }

    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }

    public static func buildEither(first: some View) -> ModifiedView { ModifiedView() }

    public static func buildEither(second: some View) -> ModifiedView { ModifiedView() }
}
