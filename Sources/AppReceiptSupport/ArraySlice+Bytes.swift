#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension ArraySlice<UInt8> {
    /// The part at positions that count from the start of this slice.
    // Inlinable: the parser calls it for every attribute.
    @inlinable
    package func part(_ range: Range<Int>) -> ArraySlice<UInt8> {
        self[startIndex + range.lowerBound..<startIndex + range.upperBound]
    }

    /// Whether both slices contain the same bytes.
    ///
    /// Certificates are compared for each receipt, and `==` compares byte by byte.
    package func isSame(as other: ArraySlice<UInt8>) -> Bool {
        guard count == other.count else { return false }
        // `Span` has no comparison. Both buffers are `count` bytes long.
        return unsafe withUnsafeBytes { left in
            unsafe other.withUnsafeBytes { right in
                guard let left = left.baseAddress, let right = right.baseAddress else { return true }
                return unsafe memcmp(left, right, count) == 0
            }
        }
    }
}
