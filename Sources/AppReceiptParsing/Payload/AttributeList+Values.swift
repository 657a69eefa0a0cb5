public import AppReceiptFoundation
import AppReceiptSupport

extension AttributeList {
    /// Returns the text of the first attribute of a type.
    ///
    /// - Parameter type: The attribute's number.
    /// - Returns: The text; `nil` if it is missing or isn't text.
    public func text(ofType type: Int) -> String? {
        value(ofType: type) { value, bytes in try? value.text(bytes).optional }
    }

    /// Returns the date of the first attribute of a type.
    ///
    /// - Parameter type: The attribute's number.
    /// - Returns: The date; `nil` if it is missing or isn't a date.
    public func date(ofType type: Int) -> Date? {
        value(ofType: type) { value, bytes in try? value.date(bytes).optional }
    }

    /// Returns the number of the first attribute of a type.
    ///
    /// - Parameter type: The attribute's number.
    /// - Returns: The number; `nil` if it is missing or isn't a non-negative integer.
    public func number(ofType type: Int) -> UInt64? {
        value(ofType: type) { value, bytes in try? value.number(bytes).optional }
    }

    /// Returns the bytes of the first attribute of a type.
    ///
    /// - Parameter type: The attribute's number.
    /// - Returns: The bytes; `nil` if it is missing.
    public func bytes(ofType type: Int) -> [UInt8]? { first(ofType: type).map { Array($0.value) } }

    private func value<Value>(ofType type: Int, _ decode: (AttributeValue, Span<UInt8>) -> Value?) -> Value? {
        guard let bytes: ArraySlice<UInt8> = first(ofType: type)?.value else { return nil }
        return decode(AttributeValue(range: 0..<bytes.count), bytes.span)
    }
}
