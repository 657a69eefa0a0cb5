#if Server
import AppReceiptFoundation
import AppReceiptSupport
import AppReceiptKit

/// A JSON object that is written member by member.
struct JSONDocument: Sendable {
    private var writer: JSONWriter

    init() {
        writer = JSONWriter()
        writer.openObject()
    }

    /// The object in UTF-8.
    var bytes: [UInt8] {
        var writer = writer
        writer.closeObject()
        return writer.bytes
    }

    /// Adds a member. Its name must differ from all others.
    mutating func add(_ name: StaticString, _ value: AppStoreJSON) { writer.member(name, value) }

    /// Adds an array of objects.
    ///
    /// - Parameters:
    ///   - name: The name of the member.
    ///   - elements: What is written.
    ///   - write: Writes the members of an element.
    mutating func add<Element>(
        _ name: StaticString, each elements: [Element], write: (Element, inout JSONWriter) -> Void
    ) {
        writer.openArray(name)
        for element in elements { writer.element { write(element, &$0) } }
        writer.closeArray()
    }

    /// Adds the products that a customer owns.
    ///
    /// - Parameters:
    ///   - products: The entitlements.
    ///   - now: The current time.
    mutating func add(products: [Entitlement], now: Date) {
        add("products", each: products) { product, writer in
            product.write(to: &writer)
            product.writeSentences(productNames: [:], now: now, to: &writer)
        }
    }

    /// Adds a receipt's contents.
    ///
    /// - Parameters:
    ///   - receipt: The contents.
    ///   - attributes: Whether to include the raw attributes.
    mutating func add(receipt: AppReceipt, attributes: Bool) {
        writer.openObject("receipt")
        receipt.write(to: &writer, attributes: attributes)
        writer.closeObject()
    }
}

extension Entitlement {
    /// Writes `isOutdated`, and `forCustomer` and `forTicket`, which support copies.
    func writeSentences(productNames: [String: String], now: Date, to writer: inout JSONWriter) {
        writer.member("isOutdated", isOutdated(at: now))
        writer.member("forCustomer", customerSentence(productNames: productNames, at: now))
        writer.member("forTicket", ticketSentence(productNames: productNames))
    }
}
#endif
