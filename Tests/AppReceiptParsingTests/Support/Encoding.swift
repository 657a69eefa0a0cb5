import AppReceiptParsing

/// The one element that `bytes` are.
func element(
    of bytes: [UInt8], limits: ReceiptLimits = .default, stage: ReceiptError.Stage = .container, origin: Int = 0
) throws(ReceiptError) -> BERElement {
    let slice = bytes[...]
    var reader = BERReader(0..<slice.count, stage: stage, limits: limits, origin: origin)
    let element = try reader.next(slice.span)
    try reader.finish()
    return element
}

/// The elements that `bytes` are, one after the other.
func elements(of bytes: [UInt8], limits: ReceiptLimits = .default) throws(ReceiptError) -> [BERElement] {
    let slice = bytes[...]
    var reader = BERReader(0..<slice.count, stage: .container, limits: limits)
    var elements: [BERElement] = []
    while !reader.isAtEnd { elements.append(try reader.next(slice.span)) }
    return elements
}

/// The elements inside of the one element that `bytes` are.
func members(of bytes: [UInt8], limits: ReceiptLimits = .default) throws(ReceiptError) -> [BERElement] {
    let slice = bytes[...]
    var outer = BERReader(0..<slice.count, stage: .container, limits: limits)
    var reader = outer.inside(try outer.next(slice.span))
    var elements: [BERElement] = []
    while !reader.isAtEnd { elements.append(try reader.next(slice.span)) }
    return elements
}

/// Checks every level of the one element that `bytes` are.
func checkWellFormed(_ bytes: [UInt8], limits: ReceiptLimits = .default) throws(ReceiptError) {
    let slice = bytes[...]
    var reader = BERReader(0..<slice.count, stage: .container, limits: limits)
    let element = try reader.next(slice.span)
    try reader.checkWellFormed(slice.span, element)
}

/// The octets of the one string that `bytes` are, and where they stand if in one piece.
func octets(
    of bytes: [UInt8], limits: ReceiptLimits = .default
) throws(ReceiptError) -> (octets: [UInt8], offset: Int?) {
    let slice = bytes[...]
    var reader = BERReader(0..<slice.count, stage: .container, limits: limits)
    let string = try reader.next(slice.span)
    let (octets, offset) = try reader.octets(slice.span, of: string, in: slice)
    return (Array(octets), offset)
}
