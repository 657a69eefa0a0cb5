public import CoreTransferable
public import Foundation

public struct Font: Sendable {
    public static let headline = Font()
}

public protocol ShapeStyle: Sendable {}

public struct HierarchicalShapeStyle: ShapeStyle {}

extension ShapeStyle where Self == HierarchicalShapeStyle {
    public static var secondary: HierarchicalShapeStyle { HierarchicalShapeStyle() }
}

public protocol TextSelectability {}

public struct EnabledTextSelectability: TextSelectability {}

extension TextSelectability where Self == EnabledTextSelectability {
    public static var enabled: EnabledTextSelectability { EnabledTextSelectability() }
}

extension View {
    public nonisolated func font(_ font: Font?) -> some View { ModifiedView() }

    public nonisolated func foregroundStyle(_ style: some ShapeStyle) -> some View { ModifiedView() }

    public nonisolated func padding() -> some View { ModifiedView() }

    public nonisolated func disabled(_ disabled: Bool) -> some View { ModifiedView() }

    public nonisolated func textSelection(_ selectability: some TextSelectability) -> some View { ModifiedView() }

    public nonisolated func navigationTitle(_ titleKey: LocalizedStringKey) -> some View { ModifiedView() }

    @_disfavoredOverload
    public nonisolated func navigationTitle(_ title: some StringProtocol) -> some View { ModifiedView() }

    public nonisolated func task(
        priority: TaskPriority = .userInitiated, @_inheritActorContext _ action: @escaping @Sendable () async -> Void
    ) -> some View { ModifiedView() }

    public nonisolated func task(
        id value: some Equatable, priority: TaskPriority = .userInitiated,
        @_inheritActorContext _ action: @escaping @Sendable () async -> Void
    ) -> some View { ModifiedView() }

    public nonisolated func dropDestination<Payload: Transferable>(
        for payloadType: Payload.Type, action: @escaping (_ items: [Payload], _ location: CGPoint) -> Bool
    ) -> some View { ModifiedView() }
}
