public import CoreTransferable

public struct Button<Label: View>: PrimitiveView {}

extension Button where Label == Text {
    public nonisolated init(_ titleKey: LocalizedStringKey, action: @escaping @MainActor () -> Void) {}

    @_disfavoredOverload
    public nonisolated init(_ title: some StringProtocol, action: @escaping @MainActor () -> Void) {}
}

public struct Toggle<Label: View>: PrimitiveView {}

extension Toggle where Label == Text {
    public nonisolated init(_ titleKey: LocalizedStringKey, isOn: Binding<Bool>) {}
}

public struct TextField<Label: View>: PrimitiveView {}

extension TextField where Label == Text {
    public nonisolated init(_ titleKey: LocalizedStringKey, text: Binding<String>, prompt: Text?) {}
}

public struct PasteButton: PrimitiveView {
    public nonisolated init<Payload: Transferable>(
        payloadType: Payload.Type, onPaste: @escaping ([Payload]) -> Void
    ) {}
}
