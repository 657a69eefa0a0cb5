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
