import AppReceiptParsing
import AppReceiptTesting
import Foundation

extension Array<UInt8> {
    /// The position of the first occurrence of `pattern`, or nil.
    func position(of pattern: [UInt8]) -> Int? {
        guard pattern.count <= count else { return nil }
        return (0...count - pattern.count).first { self[$0..<$0 + pattern.count].elementsEqual(pattern) }
    }
}

/// Encodes an attribute of a payload or purchase.
func attribute(_ type: UInt64, _ value: [UInt8], version: UInt64 = 1) -> [UInt8] {
    DERWriter.sequence([DERWriter.integer(type), DERWriter.integer(version), DERWriter.octetString(value)])
}

/// Encodes a set of attributes in the given order.
func attributeSet(_ attributes: [[UInt8]]) -> [UInt8] { DERWriter.set(attributes, sorted: false) }

/// Parses a receipt whose payload has exactly these attributes.
func receipt(_ attributes: [UInt8]..., limits: ReceiptLimits = .default) throws(ReceiptError) -> AppReceipt {
    try AppReceipt(payload: attributeSet(attributes)[...], limits: limits)
}

/// Parses a purchase with exactly these attributes.
func purchase(_ attributes: [UInt8]...) throws(ReceiptError) -> InAppPurchase? {
    try receipt(attribute(17, attributeSet(attributes))).purchases.first
}

/// Encodes a constructed octet string (X.690, 8.7).
func chunked(_ pieces: [[UInt8]]) -> [UInt8] {
    DERWriter.indefinite(0x24, pieces.flatMap { DERWriter.octetString($0) })
}

/// Splits bytes into pieces of at most `size` bytes.
func pieces(_ bytes: [UInt8], ofSize size: Int) -> [[UInt8]] {
    stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
}

/// Nests `inner` in `levels` elements with the same tag.
func nested(_ levels: Int, tag: UInt8 = 0x30, inner: [UInt8] = [], indefinite: Bool = false) -> [UInt8] {
    guard !indefinite else {
        return (0..<levels).flatMap { _ in [tag, 0x80] } + inner + [UInt8](repeating: 0, count: 2 * levels)
    }
    // Written backward, because each length depends on the content.
    var reversed = Array(inner.reversed())
    for _ in 0..<levels {
        var length: [UInt8] = []
        var rest = reversed.count
        repeat {
            length.append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        } while rest > 0
        if reversed.count < 0x80 {
            reversed += [length[0], tag]
        } else {
            reversed += length + [0x80 | UInt8(length.count), tag]
        }
    }
    return reversed.reversed()
}
