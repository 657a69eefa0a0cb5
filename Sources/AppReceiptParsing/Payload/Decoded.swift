/// The result of decoding a value.
enum Decoded<Value> {
    case value(Value)
    /// An empty string, which is how receipts encode an absent value.
    case absent
    case malformed

    /// The value, or nil if it is absent or malformed.
    var optional: Value? {
        if case .value(let value) = self { value } else { nil }
    }

    /// The value, or nil if it is absent.
    ///
    /// - Throws: An error with this code if the value is malformed. For values on which a decision depends.
    func required(_ code: ReceiptError.Code, at value: AttributeValue) throws(ReceiptError) -> Value? {
        switch self {
        case .value(let value): return value
        case .absent: return nil
        case .malformed: throw ReceiptError(code, offset: value.range.lowerBound)
        }
    }
}
