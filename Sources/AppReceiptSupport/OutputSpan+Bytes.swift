#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension OutputSpan<UInt8> {
    /// Appends the bytes of a literal.
    package mutating func append(_ text: StaticString) {
        unsafe append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends bytes.
    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let source = bytes.baseAddress, !bytes.isEmpty else { return }
        unsafe withUnsafeMutableBufferPointer { buffer, count in
            precondition(bytes.count <= buffer.count - count, "The capacity is too small.")
            guard let start = buffer.baseAddress else { return }
            unsafe memcpy(start + count, source, bytes.count)
            count += bytes.count
        }
    }

    /// Appends an integer in decimal digits.
    package mutating func append(digits value: Int64) {
        if value < 0 { append(UInt8(ascii: "-")) }
        append(digits: value.magnitude)
    }

    /// Appends an integer in decimal digits.
    package mutating func append(digits value: UInt64) {
        guard value >= 10 else { return append(UInt8(ascii: "0") + UInt8(value)) }
        if value >= 100 { append(digits: value / 100) }
        append(twoDigits: Int64(value % 100))
    }

    /// Appends an integer of at most two digits, with a leading zero.
    package mutating func append(twoDigits value: Int64) {
        let (tens, ones) = UInt8(value).quotientAndRemainder(dividingBy: 10)
        append(UInt8(ascii: "0") + tens)
        append(UInt8(ascii: "0") + ones)
    }
}

extension String {
    /// Creates a text from the UTF-8 that `write` appends.
    ///
    /// - Parameters:
    ///   - capacity: The maximum length, in bytes.
    ///   - write: Appends the text.
    package init(capacity: Int, _ write: (inout OutputSpan<UInt8>) -> Void) {
        // The equivalent initializer of String requires iOS 14, tvOS 14 and watchOS 7.
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            var text = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
            write(&text)
            count = unsafe text.finalize(for: buffer)
        }
        self.init(decoding: bytes, as: UTF8.self)
    }
}
