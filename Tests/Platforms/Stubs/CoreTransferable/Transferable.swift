public import Foundation

// The declarations of CoreTransferable that the example uses.

/// A stand-in for what can be dropped and pasted.
public protocol Transferable {
    associatedtype Representation: TransferRepresentation
    @TransferRepresentationBuilder<Self> static var transferRepresentation: Representation { get }
}

public protocol TransferRepresentation<Item>: Sendable {
    associatedtype Item: Transferable
}

extension String: Transferable {
    public static var transferRepresentation: some TransferRepresentation {
        ProxyRepresentation(importing: { (text: String) in text })
    }
}

extension URL: Transferable {
    public static var transferRepresentation: some TransferRepresentation {
        ProxyRepresentation(importing: { (url: URL) in url })
    }
}

/// A stand-in for a representation by another transferable type. It never imports anything.
public struct ProxyRepresentation<Item: Transferable, Proxy: Transferable>: TransferRepresentation {
    public init(importing: @escaping @Sendable (Proxy) async throws -> Item) {}
}

public struct TupleTransferRepresentation<Item: Transferable>: TransferRepresentation {}

@resultBuilder
public enum TransferRepresentationBuilder<Item: Transferable> {
    public static func buildExpression<Content: TransferRepresentation<Item>>(_ content: Content) -> Content { content }

    public static func buildBlock<Content: TransferRepresentation<Item>>(_ content: Content) -> Content { content }

    public static func buildBlock(
        _ first: some TransferRepresentation<Item>, _ second: some TransferRepresentation<Item>
    ) -> TupleTransferRepresentation<Item> { TupleTransferRepresentation() }
}
