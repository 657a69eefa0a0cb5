import AppReceiptParsing

/// Reads bytes that are exactly one element.
func element(
    of bytes: [UInt8], limits: ReceiptLimits = .default, check: ValidationCheck = .container, origin: Int = 0
) throws(ReceiptError) -> BERElement {
    let slice = bytes[...]
    var reader = BERReader(0..<slice.count, check: check, limits: limits, origin: origin)
    let element = try reader.next(in: slice.span)
    try reader.finish()
    return element
}

/// Reads all elements in `bytes`.
func elements(of bytes: [UInt8], limits: ReceiptLimits = .default) throws(ReceiptError) -> [BERElement] {
    let slice = bytes[...]
    var reader = BERReader(0..<slice.count, check: .container, limits: limits)
    var elements: [BERElement] = []
    while !reader.isAtEnd { elements.append(try reader.next(in: slice.span)) }
    return elements
}

/// Reads the members of the element that `bytes` contain.
func members(of bytes: [UInt8], limits: ReceiptLimits = .default) throws(ReceiptError) -> [BERElement] {
    let slice = bytes[...]
    var outer = BERReader(0..<slice.count, check: .container, limits: limits)
    var reader = outer.inside(try outer.next(in: slice.span))
    var elements: [BERElement] = []
    while !reader.isAtEnd { elements.append(try reader.next(in: slice.span)) }
    return elements
}

/// Checks every level of the element that `bytes` contain.
func checkWellFormed(_ bytes: [UInt8], limits: ReceiptLimits = .default) throws(ReceiptError) {
    let slice = bytes[...]
    var reader = BERReader(0..<slice.count, check: .container, limits: limits)
    let element = try reader.next(in: slice.span)
    try reader.checkWellFormed(element, in: slice.span)
}

/// Reads the content of the octet string that `bytes` contain, and its position unless several pieces were joined.
func octets(
    of bytes: [UInt8], limits: ReceiptLimits = .default
) throws(ReceiptError) -> (octets: [UInt8], offset: Int?) {
    let slice = bytes[...]
    var reader = BERReader(0..<slice.count, check: .container, limits: limits)
    let string = try reader.next(in: slice.span)
    let (octets, offset) = try reader.octets(of: string, in: slice)
    return (Array(octets), offset)
}
