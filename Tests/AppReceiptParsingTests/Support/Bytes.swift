import AppReceiptParsing
import AppReceiptTesting
import Foundation

extension Array<UInt8> {
    /// Where `pattern` first occurs; nil if it does not.
    func position(of pattern: [UInt8]) -> Int? {
        guard pattern.count <= count else { return nil }
        return (0...count - pattern.count).first { self[$0..<$0 + pattern.count].elementsEqual(pattern) }
    }
}

/// One attribute of a payload or purchase.
func attribute(_ type: UInt64, _ value: [UInt8], version: UInt64 = 1) -> [UInt8] {
    DERWriter.sequence([DERWriter.integer(type), DERWriter.integer(version), DERWriter.octetString(value)])
}

/// A set of attributes in the order given.
func attributeSet(_ attributes: [[UInt8]]) -> [UInt8] { DERWriter.set(attributes, sorted: false) }

/// The receipt whose payload has these attributes and no other.
func receipt(_ attributes: [UInt8]..., limits: ReceiptLimits = .default) throws(ReceiptError) -> AppReceipt {
    try AppReceipt(payload: attributeSet(attributes)[...], limits: limits)
}

/// The purchase that has these attributes and no other.
func purchase(_ attributes: [UInt8]...) throws(ReceiptError) -> InAppPurchase? {
    try receipt(attribute(17, attributeSet(attributes))).purchases.first
}

/// The octet string in pieces, as BER has it (X.690, 8.7).
func chunked(_ pieces: [[UInt8]]) -> [UInt8] {
    DERWriter.indefinite(0x24, pieces.flatMap { DERWriter.octetString($0) })
}

/// `octets` cut into pieces of at most `size`.
func pieces(_ octets: [UInt8], ofSize size: Int) -> [[UInt8]] {
    stride(from: 0, to: octets.count, by: size).map { Array(octets[$0..<min($0 + size, octets.count)]) }
}

/// `inner` inside of `levels` elements of the same tag.
func nested(_ levels: Int, tag: UInt8 = 0x30, inner: [UInt8] = [], indefinite: Bool = false) -> [UInt8] {
    guard !indefinite else {
        return (0..<levels).flatMap { _ in [tag, 0x80] } + inner + [UInt8](repeating: 0, count: 2 * levels)
    }
    // Written backwards, since every length depends on what lies within.
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
