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

    /// Appends a string in UTF-8.
    mutating func append(_ text: String) {
        let isContiguous: Void? = unsafe text.utf8.withContiguousStorageIfAvailable { unsafe append($0) }
        guard isContiguous == nil else { return }
        // A string that is bridged from Objective-C.
        for byte in text.utf8 { append(byte) }
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
        if value >= 100_000_000 {
            let (high, low) = value.quotientAndRemainder(dividingBy: 100_000_000)
            append(digits: high)
            append(twoDigits: low / 1_000_000)
            append(twoDigits: low / 10_000)
            append(twoDigits: low / 100)
            append(twoDigits: low)
            return
        }
        guard value >= 10 else { return append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: value)) }
        guard value >= 100 else { return append(twoDigits: value) }
        let (rest, pair) = value.quotientAndRemainder(dividingBy: 100)
        append(digits: rest)
        append(twoDigits: pair)
    }

    /// Appends the two last digits of an integer, with a leading zero.
    @inline(__always)
    package mutating func append(twoDigits value: UInt64) {
        append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: value / 10 % 10))
        append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: value % 10))
    }
}
