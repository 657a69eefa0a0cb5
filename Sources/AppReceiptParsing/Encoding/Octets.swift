#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension ArraySlice<UInt8> {
    /// The part at positions that count from the start of this slice.
    package func part(_ range: Range<Int>) -> ArraySlice<UInt8> {
        self[startIndex + range.lowerBound..<startIndex + range.upperBound]
    }

    /// Whether these are the same octets. Certificates are compared for each receipt, and the standard library does so
    /// octet by octet.
    package func isSame(as other: ArraySlice<UInt8>) -> Bool {
        guard count == other.count else { return false }
        // Spans have no comparison of their own. Both buffers are as long as the count.
        return unsafe withUnsafeBytes { left in
            unsafe other.withUnsafeBytes { right in
                guard let left = left.baseAddress, let right = right.baseAddress else { return true }
                return unsafe memcmp(left, right, count) == 0
            }
        }
    }
}

extension Span<UInt8> {
    /// Where an octet first occurs within a range.
    package func firstIndex(of octet: UInt8, in range: Range<Int>) -> Int? {
        let part = extracting(range)
        // Sixteen and more octets at once, where a loop over the span would take one after the other.
        return unsafe part.withUnsafeBytes { buffer in
            guard let start = buffer.baseAddress, let found = unsafe memchr(start, Int32(octet), buffer.count) else {
                return nil
            }
            return unsafe range.lowerBound + (UnsafeRawPointer(found) - start)
        }
    }

    /// Whether there is an octet below 0x20 within a range.
    package func hasControlCharacters(in range: Range<Int>) -> Bool {
        let part = extracting(range)
        // As above: without the span's checks the compiler compares many octets at once.
        return unsafe part.withUnsafeBufferPointer { unsafe $0.reduce(UInt8.max) { min($0, $1) } < 0x20 }
    }
}
