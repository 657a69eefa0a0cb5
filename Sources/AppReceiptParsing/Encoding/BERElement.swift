/// The position of one element, counted from the start of the bytes from which it was read.
package struct BERElement: Sendable, Equatable {
    /// The identifier octet.
    package let tag: UInt8
    /// The position of the identifier octet.
    package let start: Int
    /// The positions of the content octets.
    package let content: Range<Int>
    /// The position after the element, including its end-of-contents mark.
    package let end: Int

    package var isConstructed: Bool { tag & BERTag.constructed != 0 }
    package var isIndefinite: Bool { end != content.upperBound }
    package var range: Range<Int> { start..<end }
}
